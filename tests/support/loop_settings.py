"""Settings of the child processes of tests about loops: the project's, with the app of counted handlers."""

from __future__ import annotations

from bpm.project.settings import *  # noqa: F403
from bpm.project.settings import BPM, INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.support.loop_handlers"]
BPM = BPM | {"JOB_LEASE_MS": 30_000}
