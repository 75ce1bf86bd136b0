"""Whether this process, its database and the loops can do their work."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

from bpm import engine
from bpm.jobs.lateness import LOOP_LATE_S, QUEUE_LATE_S


@dataclass(frozen=True, slots=True)
class Readiness:
    """What was found.

    Attributes:
        checks: `database`, `migrations`, `loops`, `queue` to `ok` or what is wrong; what could not be asked is left
            out.
    """

    checks: dict[str, str]

    @property
    def ready(self) -> bool:
        """Whether nothing is wrong."""
        return all(found == "ok" for found in self.checks.values())


class _Migrated:
    """Migrations that were applied stay applied, so they are looked at until they are, then no more."""

    found = False


_migrated = _Migrated()


def check_readiness() -> Readiness:
    """Look at everything. Statements: PostgreSQL 2, SQLite 1; more until the migrations are applied."""
    checks: dict[str, str] = {}
    try:
        connection.ensure_connection()
        checks["migrations"] = _migrations()
        if checks["migrations"] == "ok":
            checks.update(_loops())
    except DatabaseError as error:
        return Readiness({"database": f"it cannot be asked: {type(error).__name__}"})
    return Readiness({"database": "ok", **checks})


def _migrations() -> str:
    if not _migrated.found:
        executor = MigrationExecutor(connection)
        missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if missing:
            return f"{missing} are not applied: run manage.py migrate"
        _migrated.found = True
    return "ok"


def _loops() -> dict[str, str]:
    life = engine.signs_of_life()
    return {
        "loops": _age("no loop has ticked", life.loop_age_s, LOOP_LATE_S),
        "queue": _age("no task has come through the queue", life.queue_age_s, QUEUE_LATE_S),
    }


def _age(what: str, age_s: float | None, limit_s: float) -> str:
    if age_s is None:
        return f"{what} yet"
    return "ok" if age_s <= limit_s else f"{what} for {age_s:.0f} s"
