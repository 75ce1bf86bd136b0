"""What was typed into fields that are not there any more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from bpm.queries.forms import FormFieldRow, FormRow
from cockpit.tasklist.filled_form import PREFIX

_MOST: Final = 200


def with_typed(form: FormRow, data: Any) -> FormRow:
    """Return a form with a text field for everything that was typed and has no field."""
    known = {field.name for field in form.fields}
    typed = [name.removeprefix(PREFIX) for name in data if name.startswith(PREFIX)]
    lost = tuple(_text_field(name) for name in typed[:_MOST] if name not in known)
    return replace(form, fields=(*form.fields, *lost)) if lost else form


def _text_field(name: str) -> FormFieldRow:
    return FormFieldRow(
        name=name,
        label=name,
        type="multiline",
        description="",
        required=False,
        read_only=False,
        hidden=False,
        conditional=False,
        value=None,
        options=(),
        minimum="",
        maximum="",
        min_length=None,
        max_length=None,
        pattern="",
        format="",
        as_text=False,
        group="",
        nested=False,
    )
