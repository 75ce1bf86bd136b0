"""Lanes: who is meant to do what. They do not change how a process runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bpm.core.xml import XmlElement


class Lane(NamedTuple):
    """One lane; `parent` is the id of the lane around it, `nodes` the ids of its flow nodes."""

    id: str
    name: str
    parent: str | None
    nodes: tuple[str, ...]


def read_lanes(scope: XmlElement) -> tuple[Lane, ...]:
    """Return the lanes of a process or subprocess, outer ones before the lanes inside them."""
    return tuple(lane for holder in scope.all("laneSet") for lane in _lanes(holder, None))


def _lanes(holder: XmlElement, parent: str | None) -> Iterator[Lane]:
    for xml in holder.all("lane"):
        nodes = tuple(reference.text.strip() for reference in xml.all("flowNodeRef"))
        yield Lane(xml.id, xml.get("name").strip(), parent, nodes)
        for inner in (*xml.all("childLaneSet"), *xml.all("laneSet")):
            yield from _lanes(inner, xml.id)
