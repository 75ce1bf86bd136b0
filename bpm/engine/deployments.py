"""Deploying files."""

from __future__ import annotations

from collections.abc import Sequence

from bpm.engine.answers import Answer, answer_once
from bpm.shell import deploy as _deploy
from bpm.shell.idempotency import Idempotency


def deploy(
    resources: Sequence[tuple[str, bytes]],
    *,
    tenant: str = "",
    name: str = "",
    actor: str = "",
    duplicate_filtering: bool = True,
    force_executable: bool = False,
    key: Idempotency | None = None,
) -> Answer:
    """Deploy files; see `bpm.shell.deploy.deploy`."""
    return answer_once(
        key,
        tenant,
        lambda: _deploy.deploy(
            resources,
            tenant=tenant,
            name=name,
            actor=actor,
            duplicate_filtering=duplicate_filtering,
            force_executable=force_executable,
        ),
    )
