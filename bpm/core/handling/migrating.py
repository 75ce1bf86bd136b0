"""Migrating an instance to another version (semantics §12)."""

from __future__ import annotations

from typing import Any

from bpm.core import operations as o
from bpm.core.errors import Conflict, Invalid, PlanInvalid
from bpm.core.failure import NodeFailed
from bpm.core.handling.guards import require_not_ended
from bpm.core.migration.carrying import carry_over, fire_full
from bpm.core.migration.fitting import instance_problems
from bpm.core.migration.plan import plan_problems
from bpm.core.migration.waiting import take_away, wait_again
from bpm.core.run import Run


def migrate(run: Run, command: o.MigrateInstance) -> dict[str, Any]:
    """Emit InstanceMigrated with what it takes with it; then what the new version waits for is armed.

    A suspended instance can be migrated; it stays suspended.

    Raises:
        InstanceEnded.
        Conflict: the instance is not of the plan's source version.
        PlanInvalid: with every problem of the plan, or of this instance with it.
        Invalid: what the new version waits for cannot be evaluated.
    """
    require_not_ended(run)
    instance = run.state.instance
    if instance.definition != command.source:
        raise Conflict("The instance is not of the plan's source version.", definition=instance.definition)
    run.state.require_everything("the instance is migrated")
    problems = plan_problems(run.graph, command.target, command.mapped)
    problems = problems or instance_problems(run.state, run.graph, command.target, command.mapped)
    if problems:
        raise PlanInvalid(tuple(problems))
    take_away(run, command.mapped)
    carry_over(run, command.target, command.definition, command.mapped)
    try:
        wait_again(run, command.mapped, update=command.update_events)
    except NodeFailed as failure:
        raise Invalid(f"The new version cannot wait: {failure.message}", incident=failure.kind) from None
    fire_full(run)
    return {}
