"""Rules of the tree that no linter knows: lengths of files and functions, unfinished words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("bpm", "api", "cockpit")
MAX_FILE_LINES = 300
MAX_FUNCTION_LINES = 40
# Spelt in halves so that this file passes its own rule.
UNFINISHED = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X")) + r")\b")
VAGUE_MODULES = {"utils", "helpers", "common", "manager", "service", "base", "misc"}
SKIPPED_FOLDERS = {".git", ".venv", "var", "node_modules", "vendor", "build"}
TEXT_SUFFIXES = {".py", ".md", ".html", ".js", ".css", ".sh", ".toml", ".sql"}


def _modules() -> list[Path]:
    found = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [path for path in found if "migrations" not in path.parts]


def _text_files() -> Iterator[Path]:
    for path in sorted(ROOT.rglob("*")):
        parts = path.relative_to(ROOT).parts
        if SKIPPED_FOLDERS.isdisjoint(parts) and path.suffix in TEXT_SUFFIXES and path.is_file():
            yield path


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring: words must not be saved to pass this rule."""
    end = node.end_lineno or node.lineno
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is None:
        return end - node.lineno + 1
    return end - node.lineno + 1 - ((first.end_lineno or first.lineno) - first.lineno + 1)


def _report(rule: str, found: list[str]) -> None:
    if found:
        pytest.fail(f"{rule}\n" + "\n".join(found), pytrace=False)


def test_files_hold_one_concept_and_stay_short() -> None:
    lengths = {path: len(path.read_text().splitlines()) for path in _modules()}
    found = [f"{path.relative_to(ROOT)}: {n} lines" for path, n in lengths.items() if n > MAX_FILE_LINES]
    _report(f"A file has at most {MAX_FILE_LINES} lines: split it by concept.", found)


def test_functions_stay_short() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {_code_lines(node)} lines"
        for path in _modules()
        for node in _functions(path)
        if _code_lines(node) > MAX_FUNCTION_LINES
    ]
    _report(f"A function has at most {MAX_FUNCTION_LINES} lines besides its docstring.", found)


def test_modules_are_named_after_what_they_hold() -> None:
    found = [str(path.relative_to(ROOT)) for path in _modules() if path.stem in VAGUE_MODULES]
    _report(f"No module is called {', '.join(sorted(VAGUE_MODULES))}: name its concept.", found)


def test_nothing_is_left_unfinished() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number} {line.strip()}"
        for path in _text_files()
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    _report("Unfinished words are not committed: do it or leave it out.", found)


def test_zones_are_made_where_a_name_that_is_none_is_caught() -> None:
    """`ZoneInfo` raises KeyError, ValueError or OSError by what is wrong with the name; who forgets one answers 500."""
    found = [f"{path.relative_to(ROOT)}:{line}" for path in _modules() for line in _careless_zones(path)]
    _report("A call of ZoneInfo stands in a try that catches KeyError, ValueError and OSError.", found)


def _careless_zones(path: Path) -> list[int]:
    tree = ast.parse(path.read_text())
    caught = {
        id(call)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and _names_caught(node) >= {"KeyError", "ValueError", "OSError"}
        for part in node.body
        for call in ast.walk(part)
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in caught]
    return [call.lineno for call in calls if ast.unparse(call.func).split(".")[-1] == "ZoneInfo"]


def _names_caught(node: ast.Try) -> set[str]:
    types = [handler.type for handler in node.handlers if handler.type is not None]
    return {name.id for one in types for name in ast.walk(one) if isinstance(name, ast.Name)}


def test_the_rules_see_the_code() -> None:
    assert len(_modules()) > 10
    assert any(path.name == "environment.py" for path in _modules())
