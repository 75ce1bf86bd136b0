"""The languages of formal expressions (semantics §9)."""

from __future__ import annotations

from typing import Final

from bpm.core.reading import Reading
from bpm.core.xml import XmlElement

JUEL: Final = frozenset({"", "juel", "el", "uel"})
"""Names of JUEL; no name means it too."""


def language_text(xml: XmlElement, reading: Reading) -> str | None:
    """Return the text of a formal expression with the mark of its language; None after reporting an unknown one."""
    text, language = xml.text.strip(), xml.get("language").strip()
    if language.lower() in JUEL:
        return text
    if is_feel(language):
        return text if text.startswith("=") else "=" + text
    reading.problem(xml, "expression-language", f"The expression language {language!r} is not known.")
    return None


def is_feel(language: str) -> bool:
    """Return whether a language is FEEL, by name or by one of its versions' URIs."""
    return language.lower() == "feel" or language.rstrip("/").upper().endswith("/FEEL")
