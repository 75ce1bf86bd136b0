"""A form with what was typed into it."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.forms.utils import ErrorDict
from django.utils.translation import gettext_lazy as _

from bpm.queries.forms import VARIABLES, FormFieldRow, FormRow
from cockpit.tasklist.form_fields import JsonText, django_field, initial_of, json_value
from cockpit.tasklist.large_values import large_values_kept
from cockpit.tasklist.read_only_fields import read_only_field, read_only_text
from cockpit.tasklist.untouched import is_untouched

PREFIX: Final = "v-"
MORE: Final = "more"
BUSINESS_KEY: Final = "business_key"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to show: a heading, words, or a field."""

    kind: str
    text: str = ""
    bound: forms.BoundField | None = None
    row: FormFieldRow | None = None
    kept: bool = False


class FilledForm(forms.Form):
    """The Django form of a form's fields; fields that are hidden now are not in it."""

    use_required_attribute = False

    def __init__(self, row: FormRow, data: Any = None, *, starts: bool = False, quiet: bool = False) -> None:
        """Take what was typed.

        Args:
            starts: it starts an instance, which may have a business key.
            quiet: it shows what was typed and not what is wrong with it.
        """
        super().__init__(data, auto_id=True)
        self.row = row
        self.quiet = quiet
        shown = (field for field in row.fields if not field.hidden)
        self.shown, self._kept = large_values_kept(shown, PREFIX, data)
        for number, field in enumerate(self.shown):
            if field.type != "note":
                self._add(PREFIX + field.name, number, field)
        if row.source == VARIABLES:
            self.fields[MORE] = _more()
        if starts and not row.business_key:
            self.fields[BUSINESS_KEY] = _business_key()

    @property
    def conditional(self) -> bool:
        """Whether what is shown depends on what is typed."""
        return any(field.conditional for field in self.row.fields)

    def entries(self) -> Iterator[Entry]:
        """Yield what to show, in order, with a heading where a group begins."""
        group = ""
        for field in self.shown:
            if field.group != group:
                group = field.group
                yield Entry("heading", group)
            if field.type == "note":
                yield Entry("note", field.description)
            else:
                bound = self[PREFIX + field.name]
                yield Entry("field", bound=bound, row=field, kept=field.name in self._kept)
        for name in (MORE, BUSINESS_KEY):
            if name in self.fields:
                yield Entry("field", bound=self[name])

    def problems(self) -> list[tuple[str, str, str]]:
        """Return id, label and words of everything that is wrong, in the order of the fields."""
        found = []
        for name in self.fields:
            bound = self[name]
            place = str(bound.field.widget.attrs["id"])
            found += [(place, str(bound.label), str(error)) for error in bound.errors]
        return found

    def typed(self) -> dict[str, Any]:
        """Return the values of those fields that are right, whether the others are or not."""
        self.full_clean()
        found: dict[str, Any] = {}
        for field in self.shown if self.is_bound else ():
            name = PREFIX + field.name
            if not (field.type == "note" or field.read_only) and name in self.cleaned_data:
                self._place(found, field, self._value(field))
        return found

    def variables(self) -> dict[str, Any]:
        """Return what to set. Of variables that nobody drew up a form for, only those that were changed.

        The form has been found valid.
        """
        found: dict[str, Any] = dict(self.cleaned_data.get(MORE) or {})
        for field in self.shown:
            if field.type == "note" or field.read_only:
                continue
            value = self._value(field)
            if self.row.source != VARIABLES or _is_changed(field.value, value):
                self._place(found, field, value)
        return found

    def _value(self, field: FormFieldRow) -> Any:
        """Return the value of a field that is right: what nobody has touched is what it was."""
        name = PREFIX + field.name
        value = json_value(field, self.cleaned_data[name])
        sent = self.fields[name].widget.value_from_datadict(self.data, self.files, self.add_prefix(name))
        if field.value is None or not is_untouched(self.fields[name], sent):
            return value
        # A field that somebody has drawn up says of which type the value is to be: it makes a number of a text.
        return field.value if self.row.source == VARIABLES or _is_of_type(field, value) else value

    def business_key(self) -> str | None:
        """Return the business key that was typed, None without one."""
        if self.row.business_key:
            value = self.cleaned_data.get(PREFIX + self.row.business_key)
        else:
            value = self.cleaned_data.get(BUSINESS_KEY)
        return str(value).strip()[:255] or None if value is not None else None

    def _place(self, found: dict[str, Any], field: FormFieldRow, value: Any) -> None:
        """Put a value under the field's name, whose dots may lead into maps: what else is in them stays."""
        if not field.nested:
            found[field.name] = value
            return
        root, *between, last = field.name.split(".")
        at = found.setdefault(root, deepcopy(self.row.maps.get(root, {})))
        for part in between:
            if not isinstance(at.get(part), dict):
                at[part] = {}
            at = at[part]
        at[last] = value

    def _add(self, name: str, number: int, row: FormFieldRow) -> None:
        field = read_only_field(row) if row.read_only else django_field(row)
        field.label = row.label or row.name
        field.required = row.required and not row.read_only
        field.initial = read_only_text(row) if row.read_only else initial_of(row)
        _tie(field, f"field-{number}", bool(row.description))
        if field.required and row.type != "boolean":
            field.widget.attrs["aria-required"] = "true"
        self.fields[name] = field

    def full_clean(self) -> None:
        """Check everything, and point from each wrong field to its error."""
        super().full_clean()
        if self.quiet:
            self._errors = ErrorDict()
        for name in self._errors or ():
            if name in self.fields:
                attributes = self.fields[name].widget.attrs
                described = attributes.get("aria-describedby", "")
                attributes["aria-describedby"] = f"{attributes['id']}-error {described}".strip()


def _is_changed(before: Any, now: Any) -> bool:
    """Return whether a variable is to be set; an empty box does not set what was never there."""
    if before is None and now in (None, "", False):
        return False
    return bool(now != before) or type(now) is not type(before)


def _is_of_type(field: FormFieldRow, made: Any) -> bool:
    """Return whether the present value has the type of what a field makes."""
    if field.type not in ("text", "multiline", "integer", "number", "boolean"):
        return True
    return all(
        isinstance(field.value, one) == isinstance(made, one) for one in (str, bool, int | float | Decimal)
    )


def _tie(field: forms.Field, name: str, described: bool) -> None:
    field.widget.attrs["id"] = name
    if described:
        field.widget.attrs["aria-describedby"] = f"{name}-hint"


class _MoreVariables(JsonText):
    """A JSON object."""

    def to_python(self, value: Any) -> Any:
        """Return the object, None without any."""
        found = super().to_python(value)
        if found is not None and not isinstance(found, dict):
            raise ValidationError(_('Enter a JSON object, for example {"name": "value"}.'))
        return found


def _more() -> forms.Field:
    found = _MoreVariables(
        required=False,
        label=_("Further variables"),
        help_text=_('A JSON object of names and values, for example {"amount": 12.5, "paid": true}.'),
        widget=forms.Textarea(attrs={"rows": 3, "class": "mono", "spellcheck": "false"}),
    )
    _tie(found, "field-more", True)
    return found


def _business_key() -> forms.Field:
    found = forms.CharField(
        required=False,
        max_length=255,
        label=_("Business key"),
        help_text=_("By what you will find it again, for example an order number."),
    )
    _tie(found, "field-business-key", True)
    return found
