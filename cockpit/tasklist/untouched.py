"""What a browser sends for a field that nobody has touched.

A browser does not send back what the page holds: it writes every line break as CR LF, has none in a box of one line,
empties a date that it cannot read, and ticks nothing for a value that is no option. Whoever presses a button without
typing must not change a value by that.
"""

from __future__ import annotations

import re
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError

_BREAK: Final = re.compile("\r\n|\r|\n")
_MOMENTS: Final = (forms.DateField, forms.TimeField, forms.DateTimeField)


def is_untouched(field: forms.Field, sent: Any) -> bool:
    """Return whether what came for a field is what a browser sends for the initial value of the field."""
    shown = field.prepare_value(field.initial)
    if isinstance(field, forms.BooleanField):
        return bool(sent) == bool(shown)
    if isinstance(field, forms.MultipleChoiceField):
        return set(sent or ()) == _keys(field) & set(shown or ())
    if isinstance(field, forms.ChoiceField):
        return bool((sent or "") == (shown if shown in _keys(field) else ""))
    text = str(field.widget.format_value(shown) or "")
    if isinstance(field, _MOMENTS):
        return _moment(field, sent) == _moment(field, text)
    many = isinstance(field.widget, forms.Textarea)
    return as_sent(sent or "", many=many) == as_sent(text, many=many)


def as_sent(text: str, *, many: bool) -> str:
    """Return a text as a browser sends it from a box of many lines, or of one."""
    return _BREAK.sub("\r\n" if many else "", text.replace("\0", "\ufffd"))


def _keys(field: forms.ChoiceField) -> set[str]:
    return {str(key) for key, _ in field.choices}  # type: ignore[union-attr, misc]


def _moment(field: forms.Field, text: Any) -> object:
    try:
        return field.to_python(text)
    except ValidationError:
        return None
