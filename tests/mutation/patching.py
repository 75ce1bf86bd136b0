"""Finding functions in files, and putting changed code into the running ones: no file is touched."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]


class Function(NamedTuple):
    """A function of a file: its name with that of its class, and the line of its first decorator or `def`."""

    path: str
    name: str
    line: int


def functions(path: Path) -> Iterator[tuple[Function, ast.FunctionDef]]:
    """Yield the functions of a file, methods included, inner ones not."""
    for node in ast.parse(path.read_text()).body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for one in inside:
            if isinstance(one, ast.FunctionDef):
                line = min([one.lineno, *(decorator.lineno for decorator in one.decorator_list)])
                yield Function(path.relative_to(ROOT).as_posix(), prefix + one.name, line), one


def replace_by(function: Function, tree: ast.FunctionDef) -> bool:
    """Let the running function do what the tree says; return whether that was possible."""
    live = _live(function)
    if live is None:
        return False
    whole = ast.parse((ROOT / function.path).read_text())
    for node in ast.walk(whole):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [tree if _is(one, tree) else one for one in body]  # type: ignore[attr-defined]
    return _swap(live, compile(whole, str(ROOT / function.path), "exec"), function)


def replace_text(path: str, old: str, new: str) -> None:
    """Change the one place of a file that has this text, in the function around it.

    Raises:
        LookupError: the text does not stand there exactly once, in a function that can be replaced.
    """
    text = (ROOT / path).read_text()
    if text.count(old) != 1:
        raise LookupError(f"{path} has {text.count(old)} times: {old}")
    line = text[: text.index(old)].count("\n") + 1
    around = [found for found, tree in functions(ROOT / path) if found.line <= line <= (tree.end_lineno or 0)]
    code = compile(text.replace(old, new), str(ROOT / path), "exec")
    live = _live(around[0]) if around else None
    if live is None or not _swap(live, code, around[0]):
        raise LookupError(f"{path}: no function around {old}")


def _is(one: ast.AST, tree: ast.FunctionDef) -> bool:
    return isinstance(one, ast.FunctionDef) and (one.name, one.lineno) == (tree.name, tree.lineno)


def _live(function: Function) -> FunctionType | None:
    found: Any = importlib.import_module(
        function.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    )
    for name in function.name.split("."):
        found = inspect.getattr_static(found, name)
    if isinstance(found, staticmethod | classmethod):
        found = found.__func__
    elif isinstance(found, property):
        found = found.fget
    elif isinstance(found, cached_property):
        found = found.func
    found = inspect.unwrap(found) if callable(found) else None
    return found if isinstance(found, FunctionType) else None


def _swap(live: FunctionType, whole: CodeType, function: Function) -> bool:
    code = whole
    for name in function.name.split("."):
        inner = [one for one in code.co_consts if isinstance(one, CodeType) and one.co_name == name]
        if not inner:
            return False
        code = inner[-1]
    if code.co_freevars != live.__code__.co_freevars:
        return False
    live.__code__ = code
    return True
