"""Input and output mappings of the vendors (semantics §9)."""

from __future__ import annotations

from typing import NamedTuple

from bpm.core.expressions import Expression
from bpm.core.mappings import ListSource, MapSource, Source, VariableMapping
from bpm.core.reading import Reading
from bpm.core.xml import CAMUNDA, ZEEBE, XmlElement


class Mappings(NamedTuple):
    """The mappings of a node; `local`: what is not mapped does not leave it."""

    inputs: tuple[VariableMapping, ...]
    outputs: tuple[VariableMapping, ...]
    local: bool


def read_mappings(xml: XmlElement, reading: Reading) -> Mappings:
    """Return `camunda:inputOutput` and `zeebe:ioMapping` of a node, in document order."""
    return Mappings(
        _read(xml, reading, "inputParameter", "input"),
        _read(xml, reading, "outputParameter", "output"),
        any(any(holder.all("output", ZEEBE)) for holder in xml.extensions("ioMapping", ZEEBE)),
    )


def _read(xml: XmlElement, reading: Reading, camunda: str, zeebe: str) -> tuple[VariableMapping, ...]:
    found: list[VariableMapping] = []
    for holder in xml.extensions("inputOutput", CAMUNDA):
        for parameter in holder.all(camunda, CAMUNDA):
            name = parameter.get("name").strip()
            found.append(VariableMapping((name,), _read_source(parameter, reading)))
    for holder in xml.extensions("ioMapping", ZEEBE):
        for entry in holder.all(zeebe, ZEEBE):
            path = tuple(entry.get("target").strip().split("."))
            found.append(VariableMapping(path, reading.expression(entry, entry.get("source"))))
    for mapping in found:
        if not all(mapping.target):
            reading.problem(xml, "mapping-target", "A mapping needs the name of the variable it sets.")
    return tuple(found)


def _read_source(xml: XmlElement, reading: Reading) -> Source:
    """Return the value of a Camunda parameter: text with expressions, a list, a map, or a script."""
    for child in xml.children:
        if child.space != CAMUNDA:
            continue
        if child.tag == "list":
            return ListSource(tuple(_read_source_of(item, reading) for item in child.children))
        if child.tag == "map":
            return MapSource(
                tuple(
                    (reading.expression(entry, entry.get("key")), _read_source(entry, reading))
                    for entry in child.children
                )
            )
        if child.tag == "script":
            return _read_script(child, reading)
        if child.tag in ("value", "string"):
            return reading.expression(child, child.text)
        message = f"The element {child.tag} in a mapping is not supported."
        reading.problem(child, "unsupported-element", message)
    return reading.expression(xml, xml.text)


def _read_source_of(item: XmlElement, reading: Reading) -> Source:
    return _read_source(XmlElement(tag="item", space=CAMUNDA, children=(item,), line=item.line), reading)


def _read_script(xml: XmlElement, reading: Reading) -> Expression:
    language = xml.get("scriptFormat").strip().lower()
    text = xml.text.strip()
    if xml.get("resource"):
        message = "A mapping cannot read a script from a separate resource."
        reading.problem(xml, "unsupported-element", message)
        return reading.expression(xml, "")
    if language in ("juel", "el"):
        return reading.expression(xml, text if "${" in text or "#{" in text else "${" + text + "}")
    if language == "feel":
        return reading.expression(xml, text if text.startswith("=") else "=" + text)
    reading.problem(xml, "script-format", f"A mapping cannot run a script of format {language!r}.")
    return reading.expression(xml, "")
