"""Data elements as fields, for where nobody has drawn up a form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from bpm.bpmn.forms.field import FieldKind, FormField
from bpm.bpmn.namespaces import local_part
from bpm.core.xml import XmlElement

Types = Mapping[str, str]
_KINDS: Final[Mapping[str, FieldKind]] = {
    "int": FieldKind.INTEGER,
    "integer": FieldKind.INTEGER,
    "long": FieldKind.INTEGER,
    "short": FieldKind.INTEGER,
    "decimal": FieldKind.NUMBER,
    "double": FieldKind.NUMBER,
    "float": FieldKind.NUMBER,
    "boolean": FieldKind.BOOLEAN,
    "date": FieldKind.DATE,
    "time": FieldKind.TIME,
    "datetime": FieldKind.DATETIME,
    "string": FieldKind.TEXT,
    "": FieldKind.TEXT,
}
"""Names of types, those of XML Schema above all, in lower case; other types are JSON."""


def item_types(definitions: XmlElement) -> Types:
    """Return item definition to the name of its type, as written; a collection's is empty of meaning here."""
    return {
        xml.id: "list" if xml.flag("isCollection") else local_part(xml.get("structureRef").strip())
        for xml in definitions.all("itemDefinition")
    }


def process_fields(process: XmlElement, types: Types) -> tuple[FormField, ...]:
    """Return a field for each property and data object of a process."""
    referred = {
        xml.get("dataObjectRef").strip(): xml.get("name").partition("[")[0].strip()
        for xml in process.all("dataObjectReference")
    }
    found = [_field(xml.id, xml, types) for xml in process.all("property")]
    for xml in process.all("dataObject"):
        name = xml.get("name").strip() or referred.get(xml.id, "") or xml.id
        found.append(_field(name, xml, types))
    return _named(found)


def output_fields(task: XmlElement, types: Types) -> tuple[FormField, ...]:
    """Return a field for each data output of a task."""
    found = [
        _field(xml.get("name").strip() or xml.id, xml, types)
        for holder in task.all("ioSpecification")
        for xml in holder.all("dataOutput")
    ]
    return _named(found)


def _field(name: str, xml: XmlElement, types: Types) -> FormField:
    reference = local_part(xml.get("itemSubjectRef").strip())
    named = "list" if xml.flag("isCollection") else types.get(reference, "")
    return FormField(name=name, label=name, kind=_KINDS.get(named.lower(), FieldKind.JSON))


def _named(fields: list[FormField]) -> tuple[FormField, ...]:
    return tuple({field.name: field for field in _nameable(fields)}.values())


def _nameable(fields: list[FormField]) -> Iterator[FormField]:
    return (field for field in fields if field.name and not field.name.startswith("$"))
