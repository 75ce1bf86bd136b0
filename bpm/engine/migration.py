"""Letting running instances go on in another version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bpm.core import errors
from bpm.core import operations as o
from bpm.core.errors import EngineError, PlanInvalid
from bpm.core.migration.plan import generate, plan_problems
from bpm.engine.answers import Answer, answer_once, done, identifier, instance_answer
from bpm.engine.lists import named_once
from bpm.shell.definitions import graph_of
from bpm.shell.execute import execute, execute_many
from bpm.shell.finding import definition_of, instances_of, versions_there
from bpm.shell.idempotency import Idempotency
from bpm.shell.outcome import Done
from bpm.shell.preview import preview, tokens_told
from bpm.shell.requests import Request

MAX_INSTANCES = 1_000
"""Instances that one call migrates or previews."""
BATCH = 50
"""Instances that one transaction migrates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationPlan:
    """From one version to another.

    Attributes:
        mappings: node to what it becomes; None: those of equal id, kind and place.
        update_events: wait anew at events that are mapped, instead of going on waiting as before.
    """

    source: str
    target: str
    mappings: Mapping[str, str] | None = None
    update_events: bool = False


def plan_migration(plan: MigrationPlan, *, tenant: str = "") -> Answer:
    """Return a plan completed and checked, whatever the instances.

    Returns:
        `source_definition_id`, `target_definition_id`, `mappings` (`source_node_id`, `target_node_id` each),
        `unmapped` (nodes of the source), `update_events`, and `problems`, empty if the plan can be used.

    Raises:
        DefinitionNotFound.
    """
    command = _command(plan, tenant, "")
    source = graph_of(command.source)
    mapped = command.mapped
    problems = plan_problems(source, command.target, mapped)
    return {
        "source_definition_id": command.source,
        "target_definition_id": command.definition,
        "mappings": [{"source_node_id": name, "target_node_id": image} for name, image in mapped.items()],
        "unmapped": [name for name in source.nodes if name not in mapped],
        "update_events": command.update_events,
        "problems": [problem.as_json() for problem in problems],
    }


def migrate(
    instance_id: str,
    definition_id: str,
    *,
    mappings: Mapping[str, str] | None = None,
    update_events: bool = False,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> Answer:
    """Let an instance go on in another version.

    Raises:
        InstanceNotFound, DefinitionNotFound, InstanceEnded, Invalid.
        PlanInvalid: with every problem; nothing has changed.
    """
    instance = identifier(instance_id, errors.InstanceNotFound)

    def produce() -> Answer:
        plan = MigrationPlan(
            source=definition_of(instance, tenant),
            target=definition_id,
            mappings=mappings,
            update_events=update_events,
        )
        return instance_answer(done(execute(Request(_command(plan, tenant, actor), tenant, instance))))

    return answer_once(key, tenant, produce)


def preview_migration(
    plan: MigrationPlan, instance_ids: Sequence[str], *, tenant: str = ""
) -> list[tuple[str, Answer | EngineError]]:
    """Return for each instance how its tokens would stand, or what would refuse it; nothing is written.

    Raises:
        DefinitionNotFound.
        PlanInvalid: the plan itself is wrong.
        Invalid: more than 1,000 instances.
    """
    command = _checked(plan, tenant, "")
    found: list[tuple[str, Answer | EngineError]] = []
    for instance in _named(instance_ids):
        try:
            outcome, state = preview(Request(command, tenant, instance))
        except EngineError as refusal:
            found.append((instance, refusal))
        else:
            found.append((instance, instance_answer(outcome) | {"tokens": tokens_told(state)}))
    return found


def execute_migration(
    plan: MigrationPlan,
    instance_ids: Sequence[str] | None = None,
    *,
    tenant: str = "",
    actor: str = "",
    key: Idempotency | None = None,
) -> list[tuple[str, Answer | EngineError]]:
    """Migrate instances, one command each; without names the oldest 1,000 of the source version that have not ended.

    Returns:
        Each instance with its answer or refusal, in order; a refusal leaves the others untouched.

    Raises: as `preview_migration`.
    """
    return named_once(key, tenant, lambda: _execute(plan, instance_ids, tenant, actor))


def _execute(
    plan: MigrationPlan, instance_ids: Sequence[str] | None, tenant: str, actor: str
) -> list[tuple[str, Answer | EngineError]]:
    command = _checked(plan, tenant, actor)
    if instance_ids is None:
        instances = instances_of(command.source, after=None, limit=MAX_INSTANCES)
    else:
        instances = _named(instance_ids)
    found: list[tuple[str, Answer | EngineError]] = []
    for start in range(0, len(instances), BATCH):
        part = instances[start : start + BATCH]
        outcomes = execute_many([Request(command, tenant, instance) for instance in part])
        for instance, outcome in zip(part, outcomes, strict=True):
            found.append((instance, instance_answer(outcome) if isinstance(outcome, Done) else outcome))
    return found


def _command(plan: MigrationPlan, tenant: str, actor: str) -> o.MigrateInstance:
    source = identifier(plan.source, errors.DefinitionNotFound)
    target = identifier(plan.target, errors.DefinitionNotFound)
    versions_there([source, target], tenant)
    graph = graph_of(target)
    mapped = plan.mappings if plan.mappings is not None else generate(graph_of(source), graph)
    return o.MigrateInstance(
        source=source,
        definition=target,
        target=graph,
        mapped=mapped,
        update_events=plan.update_events,
        actor=actor,
    )


def _checked(plan: MigrationPlan, tenant: str, actor: str) -> o.MigrateInstance:
    command = _command(plan, tenant, actor)
    problems = plan_problems(graph_of(command.source), command.target, command.mapped)
    if problems:
        raise PlanInvalid(tuple(problems))
    return command


def _named(instance_ids: Sequence[str]) -> list[str]:
    if len(instance_ids) > MAX_INSTANCES:
        raise errors.Invalid(
            f"At most {MAX_INSTANCES} instances are migrated at once.", named=len(instance_ids)
        )
    return [identifier(one, errors.InstanceNotFound) for one in dict.fromkeys(instance_ids)]
