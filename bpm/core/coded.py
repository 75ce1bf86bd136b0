"""What errors and escalations share: a code from a root element, and who catches it by looking outwards."""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class Coded:
    """An error or escalation.

    Attributes:
        code: None catches every one.
        code_variable, message_variable: where the catching side puts what came.
    """

    code: Expression | None = None
    message: str = ""
    code_variable: str | None = None
    message_variable: str | None = None


def read_coded(xml: XmlElement, reading: Reading, reference: str, code: str, family: str) -> Coded:
    """Return what the definition refers to; without reference, or with an empty code, it stands for every code.

    A reference to nothing in the file is taken as the code itself, with a warning.
    """
    found = reading.root_element(xml.get(reference)) if xml.get(reference) else None
    if xml.get(reference) and found is None:
        message = f"The {family} {xml.get(reference)!r} is not in the file; this is taken as its code."
        reading.warning(xml, f"{family}-reference", message)
    text = _code(found, code) if found is not None else xml.get(reference).strip()
    message = (found.extension(f"{family}Message") or "") if found is not None else ""
    return Coded(
        code=reading.expression(xml, text) if text else None,
        message=message,
        code_variable=xml.extension(f"{family}CodeVariable"),
        message_variable=xml.extension(f"{family}MessageVariable"),
    )


def _code(found: XmlElement, code: str) -> str:
    """Return the code that is declared, else the name or id that stands for it."""
    declared = found.attributes.get(code)
    return (found.get("name") or found.id) if declared is None else declared.strip()


def code_of(run: Run, definition: Coded, token: Token) -> str:
    """Return the code that is thrown.

    Raises:
        NodeFailed: it is not evaluable or no text.
    """
    if definition.code is None:
        return ""
    value = run.evaluate(definition.code, token)
    if not isinstance(value, str | int):
        raise NodeFailed("ExpressionFailed", f"The code {definition.code.text!r} gives no text.")
    return str(value)
