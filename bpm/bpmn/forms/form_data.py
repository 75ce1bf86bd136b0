"""`camunda:formData` with its fields, and the older `formProperty` (Activiti, Flowable)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from bpm.bpmn.forms.defaults import default_of
from bpm.bpmn.forms.field import FieldKind, Form, FormField, Option
from bpm.bpmn.forms.patterns import usable_pattern
from bpm.core.xml import CAMUNDA, XmlElement

_KINDS: Final[Mapping[str, FieldKind]] = {
    "string": FieldKind.TEXT,
    "long": FieldKind.INTEGER,
    "integer": FieldKind.INTEGER,
    "int": FieldKind.INTEGER,
    "double": FieldKind.NUMBER,
    "number": FieldKind.NUMBER,
    "decimal": FieldKind.NUMBER,
    "boolean": FieldKind.BOOLEAN,
    "date": FieldKind.DATE,
    "enum": FieldKind.CHOICE,
    "dropdown": FieldKind.CHOICE,
    "multi-line-text": FieldKind.MULTILINE,
    "text": FieldKind.MULTILINE,
    "json": FieldKind.JSON,
}
_CONSTRAINTS: Final = frozenset({"required", "readonly", "min", "max", "minlength", "maxlength", "pattern"})
_TRUE: Final = frozenset({"", "true"})


def read_form_data(xml: XmlElement) -> Form | None:
    """Return the form that an element's extensions describe, None where there is none."""
    holder = next(xml.extensions("formData"), None)
    fields = [*_fields(holder)] if holder is not None else []
    properties = [*xml.extensions("formProperty")]
    if holder is None and not properties:
        return None
    unsupported: list[str] = []
    read = [_read_field(field, unsupported) for field in fields]
    read += [_read_property(field, unsupported) for field in properties if field.get("readable") != "false"]
    key = (holder.get("businessKey") or holder.extension("businessKey") or "") if holder is not None else ""
    return Form(
        fields=tuple(field for field in read if field.name),
        business_key=key.strip(),
        unsupported=tuple(unsupported),
    )


def _fields(holder: XmlElement) -> Iterator[XmlElement]:
    return holder.all("formField", CAMUNDA)


def _kind(xml: XmlElement, unsupported: list[str]) -> FieldKind:
    written = xml.get("type", "string").strip().lower() or "string"
    kind = _KINDS.get(written)
    if kind is None:
        unsupported.append(f"field {xml.id}: type {written} (taken as text)")
    if kind is FieldKind.DATE and "h" in xml.get("datePattern").lower():
        return FieldKind.DATETIME
    return kind or FieldKind.TEXT


def _options(xml: XmlElement) -> tuple[Option, ...]:
    values = xml.all("value", CAMUNDA)
    return tuple(Option(value.id, value.get("name").strip() or value.id) for value in values)


def _read_field(xml: XmlElement, unsupported: list[str]) -> FormField:
    constraints = _constraints(xml, unsupported)
    kind = _kind(xml, unsupported)
    return FormField(
        name=xml.id.strip(),
        label=xml.get("label").strip() or xml.id.strip(),
        kind=kind,
        description=_properties(xml).get("description", ""),
        # A check box always gives a value.
        required=constraints.get("required") in _TRUE and kind is not FieldKind.BOOLEAN,
        read_only=constraints.get("readonly") in _TRUE,
        default=default_of(kind, xml.attributes.get("defaultValue"), xml.get("datePattern").strip()),
        options=_options(xml),
        minimum=_bound(constraints, "min", xml, unsupported),
        maximum=_bound(constraints, "max", xml, unsupported),
        min_length=_length(constraints, "minlength", xml, unsupported),
        max_length=_length(constraints, "maxlength", xml, unsupported),
        pattern=usable_pattern(constraints.get("pattern", ""), xml.id, unsupported),
    )


def _constraints(xml: XmlElement, unsupported: list[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for holder in xml.all("validation", CAMUNDA):
        for constraint in holder.all("constraint", CAMUNDA):
            name = constraint.get("name").strip().lower()
            if name in _CONSTRAINTS:
                found[name] = constraint.get("config").strip()
            else:
                unsupported.append(f"field {xml.id}: constraint {name or '(without name)'}")
    return found


def _bound(constraints: Mapping[str, str], name: str, xml: XmlElement, unsupported: list[str]) -> str:
    text = constraints.get(name, "")
    try:
        float(text or "0")
    except ValueError:
        unsupported.append(f"field {xml.id}: {name} {text}")
        return ""
    return text


def _length(constraints: Mapping[str, str], name: str, xml: XmlElement, unsupported: list[str]) -> int | None:
    text = constraints.get(name, "")
    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    if text:
        unsupported.append(f"field {xml.id}: {name} {text}")
    return None


def _properties(xml: XmlElement) -> dict[str, str]:
    found = (entry for holder in xml.all("properties", CAMUNDA) for entry in holder.all("property", CAMUNDA))
    return {entry.id or entry.get("name"): entry.get("value") for entry in found}


def _read_property(xml: XmlElement, unsupported: list[str]) -> FormField:
    kind = _kind(xml, unsupported)
    default = xml.attributes.get("default", xml.attributes.get("expression"))
    return FormField(
        name=(xml.get("variable") or xml.id).strip(),
        label=xml.get("name").strip() or xml.id.strip(),
        kind=kind,
        required=xml.flag("required") and kind is not FieldKind.BOOLEAN,
        read_only=not xml.flag("writable", default=True),
        default=default_of(kind, default, xml.get("datePattern").strip()),
        options=_options(xml),
    )
