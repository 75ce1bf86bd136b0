"""An instance takes over the names of another version, and its joins count again (semantics §12)."""

from __future__ import annotations

from bpm.core import events as e
from bpm.core.graph import Graph
from bpm.core.ids import Id
from bpm.core.joins import QUANTITY, fire
from bpm.core.migration.fitting import group_of, quantity, waiting_at
from bpm.core.migration.plan import Mapped, flow_image
from bpm.core.rows import InstanceStatus, JoinState, JoinStatus
from bpm.core.run import Run


def carry_over(run: Run, target: Graph, definition: Id, mapped: Mapped) -> None:
    """Emit InstanceMigrated, JoinMigrated …; from then on the run is one of the target."""
    source, state = run.graph, run.state
    joins = [join for join in state.joins.values() if join.status is JoinStatus.OPEN]
    counted = [
        (join, _counted(run, target, mapped, join)) for join in sorted(joins, key=lambda join: join.id)
    ]
    names = {name: image for name, image in mapped.items() if name != image}
    if source.key != target.key:
        names[source.key] = target.key
    forks = {fork for token in state.tokens.values() if not token.final for fork in token.groups}
    run.emit(
        e.InstanceMigrated(
            source=state.instance.definition,
            definition=definition,
            definition_key=target.key,
            nodes=names,
            flows=_flows(run, target, mapped),
            forks_lost=tuple(sorted(forks - mapped.keys())),
        )
    )
    run.graph = target
    for _, event in counted:
        run.emit(event)
    for join, _ in counted:
        run.moved[join.scope] = None


def _flows(run: Run, target: Graph, mapped: Mapped) -> dict[str, str]:
    """Return the flows of live tokens and waiting joins that have another name in the target."""
    used = {token.flow for token in run.state.tokens.values() if not token.final and token.flow}
    used |= {flow for join in run.state.joins.values() for flow in join.flows}
    images = {flow: flow_image(run.graph, target, mapped, flow) for flow in sorted(used)}
    return {flow: image for flow, image in images.items() if image is not None and image != flow}


def _counted(run: Run, target: Graph, mapped: Mapped, join: JoinState) -> e.JoinMigrated:
    node = target.nodes[mapped[join.node]]
    tokens = waiting_at(run.state, join)
    if join.kind == QUANTITY:
        expected, arrived = quantity(node), len(tokens)
    else:
        images = {flow_image(run.graph, target, mapped, token.flow) for token in tokens if token.flow}
        expected, arrived = len(node.incoming), len(images & set(node.incoming))
    group = group_of(target, mapped, node, tokens[0])
    return e.JoinMigrated(join=join.id, node=node.id, group=group, expected=expected, arrived=arrived)


def fire_full(run: Run) -> None:
    """Fire parallel joins that are full: their version wants fewer flows than the one before. Not while suspended."""
    if run.state.instance.status is InstanceStatus.SUSPENDED:
        return
    full = [
        join.id
        for join in run.state.joins.values()
        if join.status is JoinStatus.OPEN and join.kind == "parallel" and join.arrived == join.expected
    ]
    for name in sorted(full):
        join = run.state.joins[name]
        fire(run, run.graph.nodes[join.node], join)
