"""Functions of contexts."""

from __future__ import annotations

from typing import Any

from bpm.core.expressions.feel.library.registry import feel_function
from bpm.core.expressions.frame import Frame


@feel_function("get value", "m: context, key: string")
def get_value(frame: Frame, context: dict[str, Any], key: str) -> Any:
    """Value of an entry."""
    return context.get(key)


@feel_function("get value", "m: context, keys: list")
def get_nested_value(frame: Frame, context: Any, keys: list[Any]) -> Any:
    """Value of an entry of an entry, and so on."""
    for key in keys:
        if not isinstance(context, dict) or not isinstance(key, str):
            return None
        context = context.get(key)
    return context if keys else None


@feel_function("get entries", "m: context")
def get_entries(frame: Frame, context: dict[str, Any]) -> list[dict[str, Any]]:
    """Entries as contexts of ``key`` and ``value``."""
    frame.charge(len(context))
    return [{"key": key, "value": value} for key, value in context.items()]


@feel_function("context", "entries: list")
def make_context(frame: Frame, entries: list[Any]) -> dict[str, Any] | None:
    """Context of entries given as contexts of ``key`` and ``value``."""
    result: dict[str, Any] = {}
    for entry in entries:
        if not isinstance(entry, dict) or "key" not in entry or "value" not in entry:
            return None
        key = entry["key"]
        if not isinstance(key, str) or key in result:
            return None
        result[key] = entry["value"]
    return result


@feel_function("context put", "context: context, key: string, value: any")
def context_put(frame: Frame, context: dict[str, Any], key: str, value: Any) -> dict[str, Any]:
    """Context with an entry set."""
    frame.charge(len(context))
    return {**context, key: value}


@feel_function("context put", "context: context, keys: list, value: any")
def context_put_nested(frame: Frame, context: Any, keys: list[Any], value: Any) -> dict[str, Any] | None:
    """Context with an entry of an entry, and so on, set."""
    if not keys or not all(isinstance(key, str) for key in keys):
        return None
    frame.charge(1)
    if len(keys) == 1:
        return {**context, keys[0]: value}
    inner = context.get(keys[0], {})
    if not isinstance(inner, dict):
        return None
    changed = context_put_nested(frame, inner, keys[1:], value)
    return None if changed is None else {**context, keys[0]: changed}


@feel_function("context merge", "contexts: list")
def context_merge(frame: Frame, contexts: list[Any]) -> dict[str, Any] | None:
    """Entries of all contexts, of the last one where several have one."""
    result: dict[str, Any] = {}
    for context in contexts:
        if not isinstance(context, dict):
            return None
        frame.charge(len(context))
        result.update(context)
    return result
