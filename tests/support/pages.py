"""The documentation as data: pages, links, headings, code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`\n]+(?:\n[^`\n]+)?)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?)\s*$", re.MULTILINE)


class Block(NamedTuple):
    """A fenced block of code with its language."""

    language: str
    text: str


@cache
def pages() -> tuple[Path, ...]:
    """Return every page: those in docs, and those beside it."""
    return (ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted(DOCS.rglob("*.md")))


def name_of(page: Path) -> str:
    """Return a page's path in the project."""
    return str(page.relative_to(ROOT))


@cache
def text_of(page: Path) -> str:
    """Return the page's text."""
    return page.read_text()


@cache
def prose_of(page: Path) -> str:
    """Return the page's text without fenced blocks."""
    return _FENCE.sub("", text_of(page))


def blocks(page: Path, language: str) -> Iterator[str]:
    """Yield the fenced blocks in one language."""
    for found in _FENCE.finditer(text_of(page)):
        if found[1] == language:
            yield found[2]


def code(page: Path) -> Iterator[str]:
    """Yield everything that is set as code: fenced blocks and spans."""
    for found in _FENCE.finditer(text_of(page)):
        yield found[2]
    for found in _SPAN.finditer(prose_of(page)):
        yield " ".join(found[1].split())


def spans(page: Path) -> frozenset[str]:
    """Return the texts of all code spans."""
    return frozenset(" ".join(found[1].split()) for found in _SPAN.finditer(prose_of(page)))


def links(page: Path) -> list[str]:
    """Return the targets of all links."""
    return [found[1] for found in _LINK.finditer(prose_of(page))]


def anchors(page: Path) -> frozenset[str]:
    """Return the fragments that a renderer makes of the headings."""
    titles = (re.sub(r"[^\w\- ]", "", title.lower()) for title in _HEADING.findall(prose_of(page)))
    return frozenset(title.replace(" ", "-") for title in titles)


def rows(page: Path, columns: int) -> Iterator[list[str]]:
    """Yield the cells of table rows with so many columns, without rulers."""
    for line in prose_of(page).splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
            cells = [cell.strip("| ").strip() for cell in cells]
            if len(cells) == columns and not set("".join(cells)) <= set("-: "):
                yield cells
