"""Fields that only show their value: nothing about them can be wrong."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from bpm.queries.exact_json import to_text
from bpm.queries.forms import FormFieldRow
from cockpit.tasklist.form_fields import option_key


def read_only_field(row: FormFieldRow) -> forms.Field:
    """Return a field that takes nothing."""
    many = row.type in ("multiline", "json")
    widget = forms.Textarea(attrs={"rows": 4}) if many else forms.TextInput()
    return forms.CharField(required=False, disabled=True, widget=widget)


def read_only_text(row: FormFieldRow) -> str:
    """Return the value in words."""
    value = row.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    labels = {option_key(option.value): option.label for option in row.options}
    if row.type == "choices" and isinstance(value, list):
        return ", ".join(labels.get(option_key(item), option_key(item)) for item in value)
    return labels.get(option_key(value), _plain(value))


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else to_text(value)
