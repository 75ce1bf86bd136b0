"""Errors of the database as errors of the engine, by constraint name and SQLSTATE, at this one place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import IntegrityError, OperationalError

from bpm.core import errors

_CONSTRAINTS: dict[str, type[errors.InvariantViolated]] = {
    "bpm_history_token_final_once": errors.TokenFinalizedTwice,
    "bpm_historyevent_pkey": errors.SequenceGap,
    "bpm_historyevent.instance_id, bpm_historyevent.sequence": errors.SequenceGap,
    "bpm_join_one_open": errors.JoinFiredTwice,
    "bpm_join_generation": errors.JoinFiredTwice,
    "bpm_join_arrived": errors.JoinIncomplete,
    "bpm_scope_ended_is_empty": errors.StrandedScope,
    "bpm_instance_ended_has_no_token": errors.OrphanToken,
    "bpm_token_final_status": errors.TokenInvalidTransition,
    "bpm_timer_once": errors.TimerFiredTwice,
    "bpm_external_lease_is_whole": errors.ExternalTaskLeaseConflict,
}
"""Constraint (as the database names it in its message) to the invariant it holds."""

_LOCK_NOT_AVAILABLE = "55P03"
_DEADLOCK = "40P01"
_SERIALIZATION = "40001"


class Lost(Exception):
    """Another command was faster; nothing was written."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn errors of the database into the engine's.

    Raises:
        Busy: a lock could not be had in time.
        Lost: the database ended the transaction in favour of another one.
        InvariantViolated: a constraint of the engine would have been broken.
    """
    try:
        yield
    except IntegrityError as error:
        text = str(error)
        for name, violation in _CONSTRAINTS.items():
            if name in text:
                raise violation(constraint=name) from error
        raise errors.InvariantViolated(f"A constraint of the database refused the change: {text}") from error
    except OperationalError as error:
        state = getattr(error.__cause__, "sqlstate", None)
        if state in (_DEADLOCK, _SERIALIZATION):
            raise Lost from error
        if state == _LOCK_NOT_AVAILABLE or "database is locked" in str(error):
            raise errors.Busy from error
        raise
