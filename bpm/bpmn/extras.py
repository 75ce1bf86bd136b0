"""What a process keeps at process level for others: candidate starters, initiator, lanes, documentation."""

from __future__ import annotations

from typing import Any

from bpm.bpmn.lanes import read_lanes
from bpm.bpmn.layout import Layout
from bpm.bpmn.starts import starts_of
from bpm.core.xml import OWN, XmlElement


def read_version_tag(process: XmlElement) -> str:
    """Return the version tag, from `camunda:versionTag` or `zeebe:versionTag`."""
    tag = process.extension("versionTag")
    if tag is None:
        zeebe = next(process.extensions("versionTag", "zeebe"), None)
        tag = zeebe.get("value") if zeebe is not None else ""
    return tag.strip()


def read_extras(layout: Layout) -> dict[str, Any]:
    """Return the graph's extras.

    Keys: `initiator` (variable name or None), `candidate_starter_users`, `candidate_starter_groups`
    (tuples of names), `lanes` (flow node id to the name of its innermost lane), `triggered_starts` (ids),
    `documentation`, `history_time_to_live` (as written, None where it is not said), `saga` (`local`, `global`, None).
    """
    process = layout.xml
    starts = starts_of(layout, layout.scopes[layout.key])
    initiators = (layout.nodes[name].xml.extension("initiator") for name in starts.none)
    return {
        "initiator": next((name for name in initiators if name), None),
        "candidate_starter_users": _names(process.extension("candidateStarterUsers")),
        "candidate_starter_groups": _names(process.extension("candidateStarterGroups")),
        "lanes": {node: lane.name for lane in read_lanes(process) for node in lane.nodes},
        "triggered_starts": starts.triggered,
        "documentation": process.child_text("documentation") or "",
        "history_time_to_live": process.extension("historyTimeToLive"),
        "saga": process.extension("saga", OWN),
    }


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name for part in (text or "").split(",") if (name := part.strip()))
