"""The texts of pages and their translations: found, merged, compiled, without the gettext programs.

`python -m tests.support.catalogue` takes new texts into the catalogue, drops those that are gone, and compiles it.
"""

from __future__ import annotations

import ast
import io
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from babel.messages.catalog import Catalog
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDERS: Final = ("templates", "cockpit", "bpm/admin", "bpm/templates", "bpm/project", "bpm/access")
PO: Final = ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"
MO: Final = PO.with_suffix(".mo")
_KEYWORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("_", "_now", "gettext", "gettext_lazy", "gettext_noop")),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}


_QUOTED: Final = r"""u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*\""""
_TEXT: Final = re.compile(_QUOTED, re.DOTALL)
_CALL: Final = re.compile(rf"\b(n?p?gettext|_)\(((?:\s*(?:{_QUOTED})\s*,?)+)", re.DOTALL)


_NO_DATE: Final = datetime(2000, 1, 1, tzinfo=UTC)


class Found(NamedTuple):
    """One text to translate: context, singular, plural; empty where it has none."""

    context: str
    text: str
    plural: str


def found_texts() -> dict[Found, list[tuple[str, int]]]:
    """Return every text of templates and code with where it stands."""
    found: dict[Found, list[tuple[str, int]]] = {}
    for path in sorted(_sources()):
        for line, text in _texts_of(path):
            found.setdefault(text, []).append((str(path.relative_to(ROOT)), line))
    return found


def _sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".html", ".txt", ".py") and "migrations" not in path.parts:
                yield path


def _texts_of(path: Path) -> Iterator[tuple[int, Found]]:
    return _of_code(path.read_bytes()) if path.suffix == ".py" else _of_template(path)


def _of_code(source: bytes) -> Iterator[tuple[int, Found]]:
    for line, message, _comments, context in extract("python", io.BytesIO(source), keywords=_KEYWORDS):
        many = (message,) if isinstance(message, str) else message
        if many and many[0]:
            yield line, Found(context or "", many[0], many[1] if len(many) > 1 else "")


def _of_template(path: Path) -> Iterator[tuple[int, Found]]:
    """Yield what Django's own rewriting of a template into calls holds."""
    from django.utils.translation.template import templatize

    content = templatize(path.read_text(), origin=str(path))
    for call in _CALL.finditer(content):
        texts = [str(ast.literal_eval(one.removeprefix("u"))) for one in _TEXT.findall(call[2])]
        context = texts.pop(0) if "p" in call[1] else ""
        if texts and texts[0]:
            line = content.count("\n", 0, call.start()) + 1
            yield line, Found(context, texts[0], texts[1] if call[1].startswith("n") else "")


def read_catalogue() -> Catalog:
    """Return the catalogue as it is stored."""
    with PO.open("rb") as file:
        return read_po(file, locale="zh_Hans")


def compiled(catalogue: Catalog) -> bytes:
    """Return the catalogue as the program reads it."""
    # What is not written in the catalogue, Babel makes up, the present time among it.
    catalogue.creation_date = catalogue.revision_date = _NO_DATE
    catalogue.msgid_bugs_address = catalogue.last_translator = "none"
    written = io.BytesIO()
    write_mo(written, catalogue)
    return written.getvalue()


def update() -> None:
    """Write the catalogue anew with the texts there are, what is translated kept, and compile it."""
    old = read_catalogue() if PO.exists() else Catalog(locale="zh_Hans")
    new = Catalog(
        locale="zh_Hans",
        project="bpm-engine",
        version="1",
        header_comment="# Simplified Chinese. Written by `make messages`; only the translations are edited.",
        language_team="none",
        charset="utf-8",
        fuzzy=False,
    )
    for found, places in sorted(found_texts().items()):
        known = old.get(found.text, found.context or None)
        message = (found.text, found.plural) if found.plural else found.text
        empty: Any = ("",) if found.plural else ""
        fits = known is not None and isinstance(known.string, tuple) == bool(found.plural)
        translated = known.string if known is not None and fits else empty
        new.add(
            message,
            translated,
            locations=[(place, None) for place in dict.fromkeys(name for name, _ in places)],  # type: ignore[misc]
            flags={flag for flag in (known.flags if known is not None else ()) if flag != "fuzzy"},
            context=found.context or None,
        )
    PO.parent.mkdir(parents=True, exist_ok=True)
    with PO.open("wb") as file:
        write_po(file, new, width=110, omit_header=False, sort_output=True, ignore_obsolete=True)
    PO.write_text(_without_dates(PO.read_text()))
    MO.write_bytes(compiled(read_catalogue()))


def _without_dates(text: str) -> str:
    """Leave out the lines that change with every run."""
    dated = (
        '"POT-Creation-Date',
        '"PO-Revision-Date',
        '"Generated-By',
        '"Last-Translator',
        '"Report-Msgid',
        "# FIRST",
    )
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith(dated))


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.support.type_settings")
    update()
