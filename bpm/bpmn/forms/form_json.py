"""Camunda form JSON (the format of form-js): the file, and its components as fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from bpm.bpmn.forms.field import FieldKind, Form, FormField, Option
from bpm.bpmn.forms.patterns import usable_pattern
from bpm.core.values import from_outside

MAX_FORM_BYTES: Final = 1_000_000
_MAX_DEPTH: Final = 20
_KINDS: Final[Mapping[str, FieldKind]] = {
    "textfield": FieldKind.TEXT,
    "textarea": FieldKind.MULTILINE,
    "number": FieldKind.NUMBER,
    "checkbox": FieldKind.BOOLEAN,
    "radio": FieldKind.CHOICE,
    "select": FieldKind.CHOICE,
    "checklist": FieldKind.CHOICES,
    "taglist": FieldKind.CHOICES,
    "text": FieldKind.NOTE,
}
_TIMES: Final[Mapping[str, FieldKind]] = {
    "date": FieldKind.DATE,
    "time": FieldKind.TIME,
    "datetime": FieldKind.DATETIME,
}
_ZONES: Final = {"utc_normalized": "utc", "utc_offset": "offset", "no_timezone": "local"}
_PASSED_OVER: Final = frozenset({"button", "spacer", "separator"})
_CONTAINERS: Final = frozenset({"group", "default"})


class FormInvalid(ValueError):
    """The text is no form."""


def read_form_json(data: str | bytes) -> Form:
    """Return the form.

    Args:
        data: UTF-8 JSON of at most MAX_FORM_BYTES bytes.

    Raises:
        FormInvalid: says what is wrong.
    """
    if len(data) > MAX_FORM_BYTES:
        raise FormInvalid(f"A form has at most {MAX_FORM_BYTES} bytes.")
    try:
        text = data.decode("utf-8-sig") if isinstance(data, bytes) else data
        found = from_outside(text)
    except (ValueError, RecursionError) as error:
        raise FormInvalid(f"This is not JSON: {error}.") from None
    if not isinstance(found, dict) or not isinstance(found.get("components"), list):
        raise FormInvalid("A form is a JSON object with a list of components.")
    unsupported: list[str] = []
    fields = tuple(_components(found["components"], "", "", 0, unsupported))
    _refuse_repeated(fields)
    return Form(key=_text(found.get("id")), fields=fields, unsupported=tuple(unsupported))


def _refuse_repeated(fields: tuple[FormField, ...]) -> None:
    for name, count in Counter(field.name for field in fields if field.name).items():
        if count > 1:
            raise FormInvalid(f"Two components have the key {name!r}.")


def _components(
    components: Any, path: str, group: str, depth: int, unsupported: list[str]
) -> Iterator[FormField]:
    if depth > _MAX_DEPTH:
        raise FormInvalid(f"Groups are nested deeper than {_MAX_DEPTH}.")
    if not isinstance(components, list) or not all(isinstance(one, dict) for one in components):
        raise FormInvalid("The components of a form or group are a list of objects.")
    for component in components:
        kind = _text(component.get("type"))
        if kind in _CONTAINERS:
            inner = _joined(path, _text(component.get("path")))
            label = _text(component.get("label")) or group
            yield from _components(component.get("components", []), inner, label, depth + 1, unsupported)
        elif kind in _KINDS or kind == "datetime":
            field = _field(component, kind, path, group, unsupported)
            if field.name or field.kind is FieldKind.NOTE:
                yield field
            else:
                raise FormInvalid(f"A component of type {kind} has no key.")
        elif kind not in _PASSED_OVER:
            named = _text(component.get("key")) or _text(component.get("label")) or "?"
            unsupported.append(f"component {named}: type {kind or '(without type)'}")


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path and name else path or name


def _field(
    component: Mapping[str, Any], kind: str, path: str, group: str, unsupported: list[str]
) -> FormField:
    rules = component.get("validate")
    rules = rules if isinstance(rules, dict) else {}
    condition = component.get("conditional")
    hidden = _text(condition.get("hide")) if isinstance(condition, dict) else ""
    key = _text(component.get("key"))
    note = kind == "text"
    return FormField(
        name="" if note else _joined(path, key),
        label="" if note else _label(component, kind) or key,
        kind=_kind(component, kind),
        description=_text(component.get("text" if note else "description")),
        required=rules.get("required") is True,
        read_only=component.get("readonly") is True or component.get("disabled") is True,
        default=component.get("defaultValue"),
        options=_options(component),
        options_from=_options_from(component),
        minimum=_number(rules.get("min")),
        maximum=_number(rules.get("max")),
        min_length=_count(rules.get("minLength")),
        max_length=_count(rules.get("maxLength")),
        pattern=usable_pattern(_text(rules.get("pattern")), key, unsupported),
        hidden_if=hidden,
        format=_format(component, rules),
        as_text=component.get("serializeToString") is True,
        group=group,
        nested="." in _joined(path, key),
    )


def _label(component: Mapping[str, Any], kind: str) -> str:
    if kind != "datetime":
        return _text(component.get("label"))
    return _text(component.get("dateLabel")) or _text(component.get("timeLabel"))


def _kind(component: Mapping[str, Any], kind: str) -> FieldKind:
    if kind == "datetime":
        return _TIMES.get(_text(component.get("subtype")), FieldKind.DATETIME)
    if kind == "number" and component.get("decimalDigits") == 0:
        return FieldKind.INTEGER
    return _KINDS[kind]


def _format(component: Mapping[str, Any], rules: Mapping[str, Any]) -> str:
    kind = _text(rules.get("validationType"))
    if kind in ("email", "phone"):
        return kind
    return _ZONES.get(_text(component.get("timeSerializingFormat")), "")


def _options(component: Mapping[str, Any]) -> tuple[Option, ...]:
    values = component.get("values")
    if not isinstance(values, list):
        return ()
    return tuple(option for value in values if (option := option_of(value)) is not None)


def option_of(value: Any) -> Option | None:
    """Return an option for an item of a list: a map with value and label, or a plain value."""
    if isinstance(value, dict):
        if "value" not in value:
            return None
        return Option(value["value"], _text(value.get("label")) or str(value["value"]))
    return None if value is None or isinstance(value, list) else Option(value, str(value))


def _options_from(component: Mapping[str, Any]) -> str:
    return _text(component.get("valuesExpression")) or _text(component.get("valuesKey"))


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _number(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return ""
    text = str(value).strip()
    try:
        float(text)
    except ValueError:
        return ""
    return text


def _count(value: Any) -> int | None:
    text = str(value) if not isinstance(value, bool) else ""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
