"""Which form a node has: its own, an embedded one, or a deployed one."""

from __future__ import annotations

from typing import Final, NamedTuple

from bpm.bpmn.forms.field import Form, FormField
from bpm.bpmn.forms.form_json import FormInvalid
from bpm.bpmn.forms.node_forms import EMBEDDED, OF_DEPLOYMENT, NodeForm
from bpm.shell.forms import DefinitionForms, form_of_file, forms_of_definition, newest_form

_NOTHING: Final = NodeForm()


class Choice(NamedTuple):
    """The form of a node, None where nobody has drawn one up or it cannot be shown.

    Attributes:
        problems: why it cannot be shown.
        documentation: words of the model for whoever fills it in.
        declared: fields for declared data, instead of a form.
    """

    form: Form | None
    problems: tuple[str, ...]
    documentation: str
    declared: tuple[FormField, ...]


def chosen_form(definition_id: str, node: str, key: str) -> Choice:
    """Return the form of a user task or start event. At most three statements.

    Args:
        key: form key as the task's row has it, empty to take the model's.
    """
    process = forms_of_definition(definition_id)
    own = process.forms.nodes.get(node, _NOTHING)
    if own.inline is not None:
        return Choice(own.inline, (), own.documentation, ())
    form, problem = None, ""
    try:
        if own.reference:
            form, problem = _referenced(process, own), f"form {own.reference} is not deployed"
        elif key or own.key:
            form, problem = _keyed(process, key or own.key)
    except FormInvalid as error:
        problem = str(error)
    declared = own.declared if own.is_task else process.forms.declared
    return Choice(form, (problem,) if form is None and problem else (), own.documentation, declared)


def _referenced(process: DefinitionForms, own: NodeForm) -> Form | None:
    if own.binding == "deployment":
        return newest_form(process.tenant, own.reference, deployment=process.deployment)
    if own.binding == "version" and own.version.isascii() and own.version.isdigit():
        return newest_form(process.tenant, own.reference, version=int(own.version[:9]))
    return newest_form(process.tenant, own.reference)


def _keyed(process: DefinitionForms, key: str) -> tuple[Form | None, str]:
    if key.startswith(EMBEDDED):
        name = key.removeprefix(EMBEDDED)
        found = process.forms.embedded.get(name)
        return found, process.forms.broken.get(name, f"form {name} is not in the process")
    if key.startswith(OF_DEPLOYMENT):
        name = key.removeprefix(OF_DEPLOYMENT)
        return form_of_file(process.deployment, name), f"form {name} is not in the deployment"
    if ":" in key:
        return None, f"form key {key}: not a Camunda form"
    return newest_form(process.tenant, key), f"form key {key}: no form of this name is deployed"
