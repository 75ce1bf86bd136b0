"""Calling a global task of the file: the call activity does its work itself (semantics §4).

A global task has no flow, so nothing but its work is called: the call activity is read as a task of that kind, with the
content of both. What it passes as a call (`in`, `out`) is mapped at the task.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from bpm.bpmn.file_index import FileIndex
from bpm.core.xml import CAMUNDA, ZEEBE, XmlElement

_TASKS: Final = {
    "globalTask": "task",
    "globalManualTask": "manualTask",
    "globalUserTask": "userTask",
    "globalScriptTask": "scriptTask",
    "globalBusinessRuleTask": "businessRuleTask",
}
DRAWN_AS: Final = "$drawnAs"
"""Attribute, impossible in a file, that keeps the tag with which an element stands there."""
_OF_CALLS: Final = frozenset({(CAMUNDA, "in"), (CAMUNDA, "out"), (ZEEBE, "calledElement")})


def as_called_task(call: XmlElement, index: FileIndex) -> XmlElement:
    """Return a call activity that names a global task as that task; everything else as it is."""
    zeebe = next(call.extensions("calledElement", ZEEBE), None)
    name = zeebe.get("processId") if zeebe is not None else call.get("calledElement")
    found = index.top(name) if call.tag == "callActivity" and name.strip() else None
    if found is None or found.tag not in _TASKS:
        return call
    found = index.copied(found)
    attributes = {**found.attributes, **call.attributes, DRAWN_AS: call.tag}
    if found.get("scriptLanguage"):
        attributes.setdefault("scriptFormat", found.get("scriptLanguage"))
    if not call.get("name").strip():
        attributes["name"] = found.get("name")
    vendor = {key: value for key, value in call.vendor.items() if not key[1].startswith("calledElement")}
    children = [_without_call(child) for child in call.children]
    return replace(
        call,
        tag=_TASKS[found.tag],
        attributes=attributes,
        vendor={**found.vendor, **vendor},
        children=(*children, *_mapped(call), *found.children),
    )


def drawn_tag(xml: XmlElement) -> str:
    """Return the tag of a flow node as it stands in the file."""
    return xml.get(DRAWN_AS, xml.tag)


def _without_call(child: XmlElement) -> XmlElement:
    if child.tag != "extensionElements":
        return child
    kept = tuple(one for one in child.children if (one.space, one.tag) not in _OF_CALLS)
    return replace(child, children=kept)


def _mapped(call: XmlElement) -> tuple[XmlElement, ...]:
    found = [_parameter(one, "inputParameter") for one in call.extensions("in") if one.get("target")]
    found += [_parameter(one, "outputParameter") for one in call.extensions("out") if one.get("target")]
    if not found:
        return ()
    mapping = XmlElement(tag="inputOutput", space=CAMUNDA, children=tuple(found), line=call.line)
    return (XmlElement(tag="extensionElements", children=(mapping,), line=call.line),)


def _parameter(mapping: XmlElement, tag: str) -> XmlElement:
    name = mapping.get("source").replace("\\", "\\\\").replace("'", "\\'")
    text = mapping.get("sourceExpression") or "${execution.getVariable('" + name + "')}"
    return XmlElement(
        tag=tag, space=CAMUNDA, attributes={"name": mapping.get("target")}, text=text, line=mapping.line
    )
