"""What must not stand in a log: keys, passwords, cookies. The last line of defence; nothing should log them at all."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

HIDDEN: Final = "[hidden]"
_NAMES: Final = re.compile(
    r"pass(word|wd|phrase)?|secret|authorization|cookie|credential|session_?(id|key)|csrf|api_?key|private_?key|dsn"
    r"|(auth|api|access|refresh|bearer|metrics)_?token|database_?url",
    re.IGNORECASE,
)
_TEXTS: Final = (
    # Authorization headers, as text or as a repr of a dictionary.
    (re.compile(r"\b(Token|Bearer|Basic)(\s+|%20)[\w.~+/=-]{8,}", re.IGNORECASE), rf"\1 {HIDDEN}"),
    # Passwords in URLs.
    (re.compile(r"(\w+://[^\s:/@]*:)[^\s@/]+@"), rf"\1{HIDDEN}@"),
    # Cookies, query strings, and anything that says `password=…` or 'password': '…'.
    (
        re.compile(
            r"((?:sessionid|csrf\w*|password\d?|passwd|secret(?:_key)?|api_?key|(?:auth|api|access)_?token)['\"]?\s*[=:]\s*)"
            r"(?:'[^']*'|\"[^\"]*\"|[^\s,;&}\])]+)",
            re.IGNORECASE,
        ),
        rf"\1{HIDDEN}",
    ),
)
_DEPTH: Final = 8


def hide_secrets(_logger: Any, _method: str, event: Mapping[str, Any]) -> dict[str, Any]:
    """Return the event without secrets: by the names of its fields, and by what its texts look like."""
    return {
        name: HIDDEN if _is_secret(name, value) else _clean(value, _DEPTH) for name, value in event.items()
    }


def _is_secret(name: object, value: object) -> bool:
    return isinstance(name, str) and value is not None and _NAMES.search(name) is not None


def _clean(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        for pattern, shown in _TEXTS:
            value = pattern.sub(shown, value)
        return value
    if depth == 0:
        return str(type(value))
    if isinstance(value, Mapping):
        return {
            name: HIDDEN if _is_secret(name, item) else _clean(item, depth - 1)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(item, depth - 1) for item in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    return _clean(str(value), depth - 1)
