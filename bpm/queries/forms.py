"""Forms of user tasks and of starts, ready to be shown (docs/reference/forms.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.utils import timezone

from bpm.bpmn.forms.field import FormField
from bpm.core.errors import Refused
from bpm.queries.definitions import DefinitionDetail, find_definition
from bpm.queries.form_choice import Choice, chosen_form
from bpm.queries.form_values import VariableScope, is_hidden_now, options_of, value_of, words
from bpm.queries.known_fields import known_fields
from bpm.queries.task_variables import variables_seen
from bpm.queries.user_tasks import UserTaskRow, find_user_task
from bpm.shell.definitions import graph_of
from bpm.shell.forms import forms_of_definition

CUSTOM, VARIABLES = "form", "variables"
"""Where fields come from: a form that somebody has drawn up, or the variables that are there."""


@dataclass(frozen=True, slots=True)
class OptionRow:
    """One value that can be chosen, and how it is called."""

    value: Any
    label: str


@dataclass(frozen=True, slots=True)
class FormFieldRow:
    """One field, with the JSON value it begins with.

    Attributes:
        name: variable; empty for a note, which is only read.
        nested: dots in the name lead into maps.
        type: text, multiline, integer, number, boolean, date, time, datetime, choice, choices, json or note.
        hidden: not shown for the present values.
        conditional: whether other fields decide that.
        minimum, maximum: of a number, as text; empty without.
        format: `email` or `phone`; of a time `utc`, `offset` or `local`.
        as_text: a number is stored as text.
        group: label of the group it stands in.
    """

    name: str
    label: str
    type: str
    description: str
    required: bool
    read_only: bool
    hidden: bool
    conditional: bool
    value: Any
    options: tuple[OptionRow, ...]
    minimum: str
    maximum: str
    min_length: int | None
    max_length: int | None
    pattern: str
    format: str
    as_text: bool
    group: str
    nested: bool


@dataclass(frozen=True, slots=True)
class FormRow:
    """A form.

    Attributes:
        source: `form`, or `variables` where none was drawn up or it cannot be shown.
        key: id of the form, or the form key of the model.
        business_key: name of the field that gives a started instance its business key.
        documentation: words of the model for whoever fills it in.
        unsupported: what of the form is passed over, and why.
        maps: present values of the maps into which names of fields lead.
    """

    source: str
    key: str
    business_key: str
    documentation: str
    unsupported: tuple[str, ...]
    fields: tuple[FormFieldRow, ...]
    maps: dict[str, Any]


def task_form(task_id: str | UUID, *, tenant: str) -> FormRow:
    """Return the form of a user task, of a closed one without values. At most seven statements.

    Raises:
        TaskNotFound: there is no user task of this id in this tenant.
    """
    return form_of_task(find_user_task(task_id, tenant=tenant))


def form_of_task(task: UserTaskRow, typed: Mapping[str, Any] | None = None) -> FormRow:
    """Return the form of a task that the caller has found already. At most six statements.

    Args:
        typed: values that conditions see before those of variables.
    """
    variables: dict[str, Any] = {}
    if task.status == "OPEN":
        variables = {row.name: row.value for row in variables_seen(task.task_id)}
    choice = chosen_form(str(task.definition_id), task.node_id, task.form_key or "")
    return _row(choice, task.form_key or "", variables, typed or {})


def start_form(
    definition_id: str | UUID, *, tenant: str, typed: Mapping[str, Any] | None = None
) -> tuple[DefinitionDetail, FormRow]:
    """Return a version and the form by which it is started. At most five statements.

    Raises:
        DefinitionNotFound: there is none of this id in this tenant.
    """
    definition = find_definition(definition_id, tenant=tenant)
    node = start_node(str(definition.definition_id))
    choice = chosen_form(str(definition.definition_id), node, "")
    known = forms_of_definition(str(definition.definition_id)).forms
    key = known.nodes[node].key if node in known.nodes else ""
    return definition, _row(choice, key, {}, typed or {})


def start_node(definition_id: str) -> str:
    """Return the id of a version's none start event, empty where it has none. No statement once it is known."""
    try:
        graph = graph_of(definition_id)
    except Refused:
        return ""
    return next(iter(graph.root.starts), "")


def _row(choice: Choice, key: str, variables: Mapping[str, Any], typed: Mapping[str, Any]) -> FormRow:
    form = choice.form
    scope = VariableScope({**variables, **typed}, timezone.now())
    fields = form.fields if form is not None else known_fields(variables, choice.declared)
    return FormRow(
        source=VARIABLES if form is None else CUSTOM,
        key=(form.key if form is not None else "") or key,
        business_key=form.business_key if form is not None else "",
        documentation=choice.documentation,
        unsupported=(*choice.problems, *(form.unsupported if form is not None else ())),
        fields=tuple(_field_row(field, scope, variables) for field in fields),
        maps=_maps(fields, variables),
    )


def _maps(fields: tuple[FormField, ...], variables: Mapping[str, Any]) -> dict[str, Any]:
    roots = {field.name.partition(".")[0] for field in fields if field.nested}
    return {root: variables[root] for root in sorted(roots) if isinstance(variables.get(root), dict)}


def _field_row(field: FormField, scope: VariableScope, variables: Mapping[str, Any]) -> FormFieldRow:
    options = options_of(field, scope, variables)
    return FormFieldRow(
        name=field.name,
        label=words(field.label, scope),
        type=field.kind.value,
        description=words(field.description, scope),
        required=field.required,
        read_only=field.read_only,
        hidden=is_hidden_now(field, scope),
        conditional=bool(field.hidden_if),
        value=value_of(field, scope, variables),
        options=tuple(OptionRow(option.value, option.label) for option in options),
        minimum=field.minimum,
        maximum=field.maximum,
        min_length=field.min_length,
        max_length=field.max_length,
        pattern=field.pattern,
        format=field.format,
        as_text=field.as_text,
        group=field.group,
        nested=field.nested,
    )
