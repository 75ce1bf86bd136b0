"""The XML namespaces that mean something to the engine, and their short names."""

from __future__ import annotations

from typing import Final

from bpm.core.xml import BPMN, CAMUNDA, OWN, ZEEBE

MODEL: Final = "http://www.omg.org/spec/BPMN/20100524/MODEL"
DIAGRAM: Final = "http://www.omg.org/spec/BPMN/20100524/DI"
XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"

SPACES: Final[dict[str, str]] = {
    MODEL: BPMN,
    "http://camunda.org/schema/1.0/bpmn": CAMUNDA,
    "http://operaton.org/schema/1.0/bpmn": CAMUNDA,
    "http://flowable.org/bpmn": CAMUNDA,
    "http://activiti.org/bpmn": CAMUNDA,
    "http://camunda.org/schema/zeebe/1.0": ZEEBE,
    "urn:bpm-engine:1": OWN,
}
"""Namespace to the short name that `XmlElement.space` and its vendor attributes carry."""


def split_name(clark: str) -> tuple[str, str]:
    """Return (space, local name) of a name such as `{namespace}local`; the space is empty without one."""
    if not clark.startswith("{"):
        return "", clark
    namespace, _, local = clark[1:].rpartition("}")
    return SPACES.get(namespace, namespace), local


def local_part(qname: str) -> str:
    """Return a QName without its prefix."""
    return qname.rpartition(":")[2]
