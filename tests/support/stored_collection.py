"""Collecting the histories that the scenarios of a run leave behind (see `stored_histories`)."""

from __future__ import annotations

import os
import re

from bpm.models import ProcessInstance
from bpm.shell.export import export_lines
from tests.support.stored import read_state
from tests.support.stored_histories import collect


def collect_all() -> None:
    """Write the history of each instance, where the environment says where to; otherwise do nothing."""
    if not os.environ.get("COLLECT_HISTORIES"):
        return
    test = re.search(r"::test_(\S+)", os.environ.get("PYTEST_CURRENT_TEST", ""))
    name = re.sub(r"\W+", "-", test[1].replace("[database]", "") if test else "history")[:70].strip("-")
    for number, row in enumerate(ProcessInstance.objects.order_by("id")):
        state = read_state(str(row.id))
        assert state is not None
        collect(f"{name}-{number}", list(export_lines(str(row.id))), state)
