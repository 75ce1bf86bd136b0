"""A whole instance as it stands in the tables, to be looked at."""

from __future__ import annotations

from datetime import datetime

from bpm.core.ids import Id
from bpm.core.state import State
from bpm.shell.clock import or_frozen
from bpm.shell.codec import states_from
from bpm.shell.sql import dialect


def stored_instance(instance: Id) -> tuple[datetime, State]:
    """Return the database's clock and all live rows of an instance that is there. Statements: 1."""
    now, rows = dialect().read_everything([instance])
    return or_frozen(now), states_from(rows, everything=True)[instance]
