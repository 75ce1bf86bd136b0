"""Where an instance is now, in the words of its model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from uuid import UUID

from bpm.core.errors import InstanceNotFound, Refused
from bpm.core.token import Wait
from bpm.models import ProcessInstance
from bpm.queries.identifier import read_id
from bpm.queries.tokens import live_tokens
from bpm.shell.definitions import graph_of


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Tokens at one node in one state.

    Attributes:
        name: of the node, its id where it has none.
        wait: what they wait for, see `TokenRow`.
    """

    node_id: str
    name: str
    status: str
    wait: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """An instance and its places, those with the oldest tokens first.

    A token that waits for what is inside its activity is not among them: the tokens inside are.
    """

    instance_id: UUID
    process_def_id: str
    process_name: str
    business_key: str | None
    status: str
    incidents: int
    places: tuple[PlaceRow, ...]


def whereabouts(instance_id: str | UUID, *, tenant: str) -> Whereabouts:
    """Return where an instance is, whatever the caller sees otherwise: whoever asks has just worked on it.

    Two statements, one more for a version that this process has never compiled.

    Raises:
        InstanceNotFound: there is none of this id in this tenant.
    """
    wanted = read_id(instance_id, InstanceNotFound, "instance")
    rows = ProcessInstance.objects.filter(id=wanted, tenant=tenant)
    row = rows.values_list("definition_id", "definition_key", "business_key", "status", "incidents").first()
    if row is None:
        raise InstanceNotFound(instance=str(wanted))
    definition, key, business_key, status, incidents = row
    name, names = _names(str(definition))
    tokens = [token for token in live_tokens(wanted) if token.wait != Wait.SCOPE]
    counted = Counter((token.node_id, token.status, token.wait) for token in tokens)
    places = tuple(
        PlaceRow(node, names.get(node) or node, state, wait, count)
        for (node, state, wait), count in counted.items()
    )
    return Whereabouts(wanted, key, name or key, business_key, status, incidents, places)


def _names(definition: str) -> tuple[str, dict[str, str]]:
    try:
        graph = graph_of(definition)
    except Refused:
        return "", {}
    return graph.name, {node.id: node.name for node in graph.nodes.values()}
