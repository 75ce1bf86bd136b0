"""One field of a form as a Django field: how it is shown, checked, and turned into a JSON value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator, MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from bpm.queries.exact_json import from_outside, to_text
from bpm.queries.forms import FormFieldRow
from bpm.queries.patterns import is_match

MAX_TEXT: Final = 100_000
_PHONE: Final = r"^\+?[0-9 ()/.-]{3,30}$"
_FORMATS: Final = ("%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S")


class JsonText(forms.CharField):
    """Any JSON value, typed as text; nothing stands for null."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        """Return the value; an empty text is None."""
        text = super().to_python(value)
        if not text or not text.strip():
            return None
        try:
            return from_outside(text)
        except (ValueError, RecursionError):
            raise ValidationError(_('Enter valid JSON, for example {"a": 1} or "text".')) from None

    def validate(self, value: Any) -> None:
        """Only nothing at all is nothing: 0, false and empty lists are values."""
        if self.required and value is None:
            raise ValidationError(self.error_messages["required"], code="required")

    def has_changed(self, initial: Any, data: Any) -> bool:
        """Return whether another value is typed, whatever the white space."""
        try:
            return bool(self.to_python(initial) != self.to_python(data))
        except ValidationError:
            return True

    def run_validators(self, value: Any) -> None:
        """Lengths and the like are about text; the engine checks values."""


class PlainText(forms.CharField):
    """Text as it is typed, with its spaces; where something is required, spaces alone are nothing."""

    def validate(self, value: Any) -> None:
        """Refuse nothing where something is required."""
        super().validate(value.strip() if self.required else value)


class PatternValidator:
    """The text holds something that a regular expression describes."""

    def __init__(self, pattern: str, message: Any) -> None:
        self.pattern = pattern
        self.message = message

    def __call__(self, text: str) -> None:
        """Refuse other texts."""
        if not is_match(self.pattern, text):
            raise ValidationError(self.message)


def django_field(row: FormFieldRow) -> forms.Field:
    """Return the field; its id, label and initial value are the form's business."""
    return _MAKERS[row.type](row)


def _text(row: FormFieldRow) -> forms.Field:
    many = row.type == "multiline"
    found = PlainText(
        min_length=row.min_length,
        max_length=min(row.max_length or MAX_TEXT, MAX_TEXT),
        strip=row.format in ("email", "phone"),
        widget=forms.Textarea(attrs={"rows": 4}) if many else forms.TextInput(attrs=_input_type(row)),
    )
    if row.pattern:
        words = _("This does not have the form that is asked for: %(pattern)s") % {"pattern": row.pattern}
        found.validators.append(PatternValidator(row.pattern, words))
    if row.format == "email":
        found.validators.append(EmailValidator())
    if row.format == "phone":
        found.validators.append(PatternValidator(_PHONE, _("Enter a telephone number.")))
    return found


def _input_type(row: FormFieldRow) -> dict[str, str]:
    return {"email": {"inputmode": "email"}, "phone": {"inputmode": "tel"}}.get(row.format, {})


def _number(row: FormFieldRow) -> forms.Field:
    whole = row.type == "integer"
    made = forms.IntegerField if whole else forms.DecimalField
    # Text, not a number box: those of browsers round, change on scrolling, and lose what is not yet a number.
    widget = forms.TextInput(attrs={"inputmode": "numeric" if whole else "decimal", "class": "number"})
    found: forms.Field = made(widget=widget, localize=False)
    if row.minimum:
        found.validators.append(MinValueValidator(Decimal(row.minimum)))
    if row.maximum:
        found.validators.append(MaxValueValidator(Decimal(row.maximum)))
    return found


def _boolean(row: FormFieldRow) -> forms.Field:
    return forms.BooleanField()


def _date(row: FormFieldRow) -> forms.Field:
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(input_formats=["%Y-%m-%d"], widget=widget)


def _time(row: FormFieldRow) -> forms.Field:
    widget = forms.TimeInput(attrs={"type": "time", "step": "any"}, format="%H:%M:%S")
    return forms.TimeField(input_formats=["%H:%M", "%H:%M:%S"], widget=widget)


def _datetime(row: FormFieldRow) -> forms.Field:
    widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
    return forms.DateTimeField(input_formats=_FORMATS, widget=widget)


def _choice(row: FormFieldRow) -> forms.Field:
    few = len(row.options) <= 5
    choices: list[tuple[str, Any]] = [(option_key(option.value), option.label) for option in row.options]
    if not (few and row.required):
        choices.insert(0, ("", _("Nothing chosen")))
    return forms.ChoiceField(choices=choices, widget=forms.RadioSelect if few else forms.Select)


def _choices(row: FormFieldRow) -> forms.Field:
    choices = [(option_key(option.value), option.label) for option in row.options]
    return forms.MultipleChoiceField(choices=choices, widget=forms.CheckboxSelectMultiple)


def _json(row: FormFieldRow) -> forms.Field:
    return JsonText(widget=forms.Textarea(attrs={"rows": 4, "class": "mono", "spellcheck": "false"}))


_MAKERS: Final[Mapping[str, Callable[[FormFieldRow], forms.Field]]] = {
    "text": _text,
    "multiline": _text,
    "integer": _number,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
    "time": _time,
    "datetime": _datetime,
    "choice": _choice,
    "choices": _choices,
    "json": _json,
}


def option_key(value: Any) -> str:
    """Return the text that stands for an option's value in the page."""
    return value if isinstance(value, str) else to_text(value)


def initial_of(row: FormFieldRow) -> Any:
    """Return what the field shows for the row's value."""
    value = row.value
    if row.type == "json":
        return "" if value is None else to_text(value)
    if value is None:
        return None
    if row.type == "choice":
        return option_key(value)
    if row.type == "choices":
        return [option_key(item) for item in value] if isinstance(value, list) else []
    if row.type in _READERS:
        return _parsed(_READERS[row.type], str(value))
    if row.type == "boolean":
        return value is True
    if row.type == "number" and not isinstance(value, str):
        return Decimal(to_text(value))
    return value if isinstance(value, str | int) else to_text(value)


_READERS: Final[Mapping[str, Callable[[str], Any]]] = {
    "datetime": datetime.fromisoformat,
    # Never by way of a time zone: a day stays the day it is.
    "date": lambda text: date.fromisoformat(text[:10]),
    "time": time.fromisoformat,
}


def _parsed(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except ValueError:
        return text


def json_value(row: FormFieldRow, cleaned: Any) -> Any:
    """Return the JSON value of what was typed; nothing is null, but text is empty text."""
    if row.type == "multiline":
        return cleaned.replace("\r\n", "\n")
    if row.type in ("choice", "choices"):
        values = {option_key(option.value): option.value for option in reversed(row.options)}
        return values.get(cleaned) if row.type == "choice" else [values[key] for key in cleaned]
    if row.type in ("text", "json", "boolean") or cleaned is None:
        return cleaned
    if row.type in ("integer", "number"):
        return str(cleaned) if row.as_text else _exact(cleaned)
    if row.type == "datetime":
        return _serialized(row.format, cleaned)
    return cleaned.isoformat() if row.type == "date" else _short(cleaned.isoformat())


def _exact(number: Any) -> Any:
    return number if isinstance(number, int) else from_outside(str(number))


def _serialized(style: str, moment: datetime) -> str:
    if style == "local":
        return moment.replace(tzinfo=None).isoformat()
    return moment.isoformat() if style == "offset" else moment.astimezone(UTC).isoformat()


def _short(text: str) -> str:
    return text.removesuffix(":00") if text.count(":") == 2 else text
