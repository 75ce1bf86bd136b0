"""The pages speak Chinese: every text is translated, and what is compiled is what is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, ngettext

from tests.support.catalogue import FOLDERS, MO, ROOT, Found, compiled, found_texts, read_catalogue

_PLACE = re.compile(r"%(?:\((\w+)\))?[-+ 0#]*\d*(?:\.\d+)?[a-z]")


def _entries() -> Iterator[tuple[Found, Any]]:
    for message in read_catalogue():
        if message.id:
            many = message.id if isinstance(message.id, tuple) else (message.id, "")
            yield Found(message.context or "", *many), message


def test_every_text_is_in_the_catalogue_and_nothing_else() -> None:
    written, there = set(found_texts()), {found for found, _ in _entries()}
    assert written - there == set(), "run: make messages, then translate what is new"
    assert there - written == set(), "run: make messages"
    assert len(there) > 100


def test_every_text_is_translated() -> None:
    for found, message in _entries():
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        assert all(strings), f"not translated: {found.text!r}"
        assert "fuzzy" not in message.flags, f"only guessed: {found.text!r}"


def test_places_for_values_are_kept() -> None:
    for found, message in _entries():
        wanted = {name for text in (found.text, found.plural) for name in _PLACE.findall(text)}
        strings = message.string if isinstance(message.string, tuple) else (message.string,)
        for string in strings:
            assert set(_PLACE.findall(string)) == wanted, found.text
            assert not re.search("</?[a-z]", string), "texts hold no markup"


def test_what_is_compiled_is_what_is_written() -> None:
    assert MO.read_bytes() == compiled(read_catalogue()), "run: make messages"


def test_templates_say_nothing_untranslated() -> None:
    words = re.compile(r">[^<>{}]*[A-Za-z]{3}[^<>{}]*<")
    found = []
    pages = [*(ROOT / "templates").rglob("*.html"), *(ROOT / "bpm/templates").rglob("*.html")]
    for path in sorted(pages):
        text = re.sub(r"{% (blocktranslate|comment)\b.*?{% end\1 %}", "", path.read_text(), flags=re.DOTALL)
        text = re.sub(r"{[{%#].*?[}%#]}|<(code|script|style|pre)\b.*?</\1>", "", text, flags=re.DOTALL)
        found += [f"{path.relative_to(ROOT)}: {match[0]}" for match in words.finditer(text)]
    assert found == []


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_languages_are_served(language: str) -> None:
    assert language in dict(settings.LANGUAGES)
    with translation.override(language):
        assert gettext("My tasks") == {"en": "My tasks", "zh-hans": "\u6211\u7684\u4efb\u52a1"}[language]
        assert "2" in ngettext("%(number)s new task for you.", "%(number)s new tasks for you.", 2) % {
            "number": 2
        }
    assert all((ROOT / folder).is_dir() for folder in FOLDERS)
