"""The pages among themselves: links, the index, decisions, examples, and what they name exists."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from django.core.management import get_commands

from tests.support.pages import DOCS, ROOT, anchors, blocks, code, links, name_of, pages, text_of

PATHS = re.compile(
    r"(?<![\w./~$])((?:bpm|api(?!/v\d)|cockpit|tests|docs|requirements)/[\w./-]*\w)(?![\w*<{])"
)
TARGETS = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)
DECISIONS = sorted((DOCS / "decisions").glob("*.md"))


def _report(found: list[str]) -> None:
    if found:
        pytest.fail("\n".join(found), pytrace=False)


def _split(page: Path, target: str) -> tuple[Path, str]:
    path, _, fragment = target.partition("#")
    return (page.parent / path).resolve() if path else page, fragment


def test_every_relative_link_resolves() -> None:
    found = []
    for page in pages():
        for target in links(page):
            if re.match(r"[a-z]+:", target):
                continue
            path, fragment = _split(page, target)
            if not path.exists():
                found.append(f"{name_of(page)}: {target} is not there")
            elif fragment and fragment not in anchors(path):
                found.append(f"{name_of(page)}: {target} has no such heading")
    _report(found)


def test_every_page_is_in_the_index() -> None:
    index = DOCS / "README.md"
    listed = {_split(index, target)[0] for target in links(index)}
    _report(
        [
            f"docs/README.md does not list {name_of(page)}"
            for page in pages()
            if page not in listed | _NOT_LISTED
        ]
    )


_NOT_LISTED = {DOCS / "README.md", ROOT / "CHANGELOG.md"}


def test_decisions_are_numbered_in_order_and_once() -> None:
    numbers = [int(page.name[:4]) for page in DECISIONS]
    assert numbers == list(range(1, len(numbers) + 1))
    for page in DECISIONS:
        assert text_of(page).startswith(f"# {int(page.name[:4])}. "), name_of(page)
        assert all(f"**{part}.**" in text_of(page) for part in ("Context", "Decision", "Consequences")), (
            name_of(page)
        )


def test_python_examples_are_python_and_import_what_exists() -> None:
    _report(
        [
            f"{name_of(page)}: {problem}"
            for page in pages()
            for text in blocks(page, "python")
            for problem in _faults(text)
        ]
    )


def _faults(text: str) -> Iterator[str]:
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield f"{error} in\n{text}"
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("bpm", "api"):
            module = importlib.import_module(node.module or "")
            for alias in node.names:
                if not hasattr(module, alias.name) and find_spec(f"{node.module}.{alias.name}") is None:
                    yield f"{node.module} has no {alias.name}"


def test_named_files_exist() -> None:
    found = [
        f"{name_of(page)}: {path}"
        for page in pages()
        for text in code(page)
        for path in PATHS.findall(text)
        if not (ROOT / path).exists() and not (ROOT / f"{path}.py").exists()
    ]
    _report(found)


def test_named_commands_exist() -> None:
    targets = set(TARGETS.findall((ROOT / "Makefile").read_text()))
    manage = set(get_commands())
    found = []
    for page in pages():
        for text in code(page):
            found += [f"{name_of(page)}: make {name}" for name in _make(text) if name not in targets]
            found += [f"{name_of(page)}: manage.py {name}" for name in _manage(text) if name not in manage]
            found += [f"{name_of(page)}: python -m {name}" for name in _modules(text) if not _exists(name)]
    _report(found)


def _make(text: str) -> list[str]:
    return re.findall(r"(?:^|&& |; )make ([a-z][\w-]*)", text, re.MULTILINE)


def _manage(text: str) -> list[str]:
    return re.findall(r"manage\.py ([a-z]\w*)", text)


def _modules(text: str) -> list[str]:
    return re.findall(r"-m ((?:bpm|tests)(?:\.\w+)*)", text)


def _exists(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def test_the_rules_see_the_pages() -> None:
    assert len(pages()) > 40
    assert sum(len(links(page)) for page in pages()) > 120
    assert sum(len(_make(text)) for page in pages() for text in code(page)) > 10
    assert sum(len(PATHS.findall(text)) for page in pages() for text in code(page)) > 50
