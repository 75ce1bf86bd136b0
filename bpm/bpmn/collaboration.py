"""Collaborations: pools and the message flows between them. They document; the engine executes none of it."""

from __future__ import annotations

from typing import NamedTuple

from bpm.core.xml import BPMN, XmlElement


class Participant(NamedTuple):
    """A pool; `process` is the reference as written, empty for a black box."""

    id: str
    name: str
    process: str


class MessageFlow(NamedTuple):
    """A message flow; source, target and message are references as written."""

    id: str
    name: str
    source: str
    target: str
    message: str
    line: int


class Collaboration(NamedTuple):
    """A collaboration, or another diagram of that family (`tag` says which)."""

    id: str
    name: str
    tag: str
    participants: tuple[Participant, ...]
    message_flows: tuple[MessageFlow, ...]
    xml: XmlElement


COLLABORATION_TAGS = ("collaboration", "choreography", "globalConversation")


def read_collaborations(definitions: XmlElement) -> tuple[Collaboration, ...]:
    """Return all collaborations, choreographies and conversations of a file."""
    return tuple(
        _read(xml) for xml in definitions.children if xml.space == BPMN and xml.tag in COLLABORATION_TAGS
    )


def _read(xml: XmlElement) -> Collaboration:
    participants = tuple(
        Participant(pool.id, pool.get("name").strip(), pool.get("processRef").strip())
        for pool in xml.all("participant")
    )
    flows = tuple(_message_flow(flow) for flow in xml.all("messageFlow"))
    return Collaboration(xml.id, xml.get("name").strip(), xml.tag, participants, flows, xml)


def _message_flow(xml: XmlElement) -> MessageFlow:
    source, target, message = (xml.get(name).strip() for name in ("sourceRef", "targetRef", "messageRef"))
    return MessageFlow(xml.id, xml.get("name").strip(), source, target, message, xml.line)
