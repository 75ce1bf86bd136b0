"""Which form each user task and start event of a process has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from bpm.bpmn.file_index import walk
from bpm.bpmn.forms.declared import Types, item_types, output_fields, process_fields
from bpm.bpmn.forms.field import Form, FormField
from bpm.bpmn.forms.form_data import read_form_data
from bpm.bpmn.forms.form_json import FormInvalid, read_form_json
from bpm.core.xml import ZEEBE, XmlElement

EMBEDDED: Final = "camunda-forms:bpmn:"
OF_DEPLOYMENT: Final = "camunda-forms:deployment:"
_TAGS: Final = frozenset({"userTask", "startEvent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeForm:
    """The form of one node, as far as the file says it.

    Attributes:
        key: the form key as written: of a file of the deployment, of an embedded form, or anything else.
        reference: id of a deployed form.
        binding: `latest`, `deployment` or `version`.
        version: with binding `version`, the number.
        inline: the form described at the node itself.
        documentation: words for who does the task.
        declared: fields for its data outputs.
        is_task: a user task; else a start event.
    """

    key: str = ""
    reference: str = ""
    binding: str = "latest"
    version: str = ""
    inline: Form | None = None
    documentation: str = ""
    declared: tuple[FormField, ...] = ()
    is_task: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessForms:
    """The forms of one process.

    Attributes:
        nodes: by id of the user task or start event.
        embedded: forms that stand in the process, by their id.
        broken: id of an embedded form that cannot be read, to what is wrong with it.
        declared: fields for its properties and data objects.
    """

    nodes: Mapping[str, NodeForm]
    embedded: Mapping[str, Form]
    broken: Mapping[str, str]
    declared: tuple[FormField, ...] = ()


def read_process_forms(process: XmlElement, definitions: XmlElement) -> ProcessForms:
    """Return the forms of a process of a file; nothing in them makes it fail."""
    types = item_types(definitions)
    embedded: dict[str, Form] = {}
    broken: dict[str, str] = {}
    for xml in process.extensions("userTaskForm", ZEEBE):
        try:
            embedded[xml.id] = read_form_json(xml.text.strip())
        except FormInvalid as error:
            broken[xml.id] = str(error)
    nodes = {xml.id: _read_node(xml, types) for xml in walk(process) if xml.tag in _TAGS and xml.id}
    return ProcessForms(
        nodes=nodes, embedded=embedded, broken=broken, declared=process_fields(process, types)
    )


def _read_node(xml: XmlElement, types: Types) -> NodeForm:
    zeebe = next(xml.extensions("formDefinition", ZEEBE), None)
    found = zeebe.attributes if zeebe is not None else {}
    return NodeForm(
        key=(
            xml.extension("formKey") or found.get("formKey") or found.get("externalReference") or ""
        ).strip(),
        reference=(xml.extension("formRef") or found.get("formId") or "").strip(),
        binding=xml.extension("formRefBinding") or found.get("bindingType") or "latest",
        version=(xml.extension("formRefVersion") or "").strip(),
        inline=read_form_data(xml),
        documentation=xml.child_text("documentation") or "",
        declared=output_fields(xml, types),
        is_task=xml.tag == "userTask",
    )
