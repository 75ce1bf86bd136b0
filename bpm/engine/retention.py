"""How long ended instances of a process are kept."""

from __future__ import annotations

from bpm.engine.answers import Answer, answer_once
from bpm.shell import retention_rules
from bpm.shell.idempotency import Idempotency


def set_retention(
    process: str, days: int | None, *, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Keep ended instances of a process for so many days, those that have ended already too; None: for good.

    Returns:
        `process_def_id days own_rule`.

    Raises:
        DefinitionNotFound: no version of the process was ever deployed for the tenant.
        Invalid: the days are out of range.
    """

    def produce() -> Answer:
        retention_rules.set_retention(process, days, tenant=tenant, actor=actor)
        return {"process_def_id": process, "days": days, "own_rule": True}

    return answer_once(key, tenant, produce)


def clear_retention(
    process: str, *, tenant: str = "", actor: str = "", key: Idempotency | None = None
) -> Answer:
    """Let the setting `RETENTION_DAYS` decide again; nothing happens where it does.

    Returns:
        As `set_retention`.

    Raises:
        DefinitionNotFound: no version of the process was ever deployed for the tenant.
    """

    def produce() -> Answer:
        retention_rules.clear_retention(process, tenant=tenant, actor=actor)
        return {"process_def_id": process, "days": retention_rules.default_days(), "own_rule": False}

    return answer_once(key, tenant, produce)
