"""System checks of the project's own settings; `manage.py check` and every start run them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.core.checks import Warning as Warned

PREFIX: Final = "BPM_"
_ELSEWHERE: Final = frozenset(
    {
        *("BPM_URL", "BPM_TOKEN", "BPM_TENANT", "BPM_PAYMENT_LEDGER"),  # of workers
        *("BPM_BIND", "BPM_WEB_PROCESSES", "BPM_ENV"),  # of the files for servers
        # Read for one kind of database, or only with HTTPS or in a demo.
        *(
            "BPM_SQLITE_SYNCHRONOUS",
            "BPM_LOCK_TIMEOUT_MS",
            "BPM_STATEMENT_TIMEOUT_MS",
            "BPM_PREPARED_STATEMENTS",
        ),
        *(
            "BPM_IDLE_IN_TRANSACTION_TIMEOUT_MS",
            "BPM_CONNECTION_MAX_AGE_S",
            "BPM_HSTS_S",
            "BPM_OPEN_ON_LOOPBACK",
        ),
        *("BPM_CORPUS", "BPM_REQUIRE_CORPUS", "BPM_FORBID_SKIPS", "BPM_CHAOS_S"),  # of tests
    }
)
_ELSEWHERE_BEGINNINGS: Final = ("BPM_TEST_", "BPM_COUNT", "BPM_CRASH_", "BPM_WORKER_")


def check_variables(app_configs: Any = None, **_more: Any) -> Iterable[CheckMessage]:
    """Warn of variables that nobody reads: a misspelt one would leave its default in force without a word."""
    known = settings.KNOWN_VARIABLES
    for name in sorted(os.environ):
        if not name.startswith(PREFIX) or name in known or name in _ELSEWHERE:
            continue
        if not name.startswith(_ELSEWHERE_BEGINNINGS):
            near = get_close_matches(name, known, 1)
            hint = f"Did you mean {near[0]}?" if near else "docs/reference/settings.md lists them all."
            yield Warned(f"The environment variable {name} means nothing here.", hint=hint, id="bpm.W101")


def check_openness(app_configs: Any = None, **_more: Any) -> Iterable[CheckMessage]:
    """Refuse what opens the API without being a demo."""
    if os.environ.get("BPM_OPEN_ON_LOOPBACK") and not settings.DEMO:
        yield Error(
            "BPM_OPEN_ON_LOOPBACK opens the API without credentials; it counts in a demo only.",
            hint="Unset it, or set BPM_DEMO=1 where everything may be lost and seen.",
            id="bpm.E102",
        )


def check_retention_folder(app_configs: Any = None, **_more: Any) -> Iterable[CheckMessage]:
    """Refuse a folder for histories that the cluster could not write: nothing would be removed any more."""
    name = str(settings.BPM["RETENTION_FOLDER"])
    if not name:
        return
    folder = Path(name)
    if not folder.is_absolute():
        yield Error(f"BPM_RETENTION_FOLDER={name!r}: expected an absolute path.", id="bpm.E106")
        return
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        yield Error(
            f"BPM_RETENTION_FOLDER={name!r}: this account cannot write {nearest}.",
            hint="Make the folder, and give it to the account that runs the cluster.",
            id="bpm.E106",
        )


def check_production(app_configs: Any = None, **_more: Any) -> Iterable[CheckMessage]:
    """Refuse, where `--deploy` asks, what is for developers and demos."""
    if settings.DEMO:
        yield Error("BPM_DEMO is set: this is no production start.", hint="Unset BPM_DEMO.", id="bpm.E103")
    if "*" in settings.ALLOWED_HOSTS:
        yield Error(
            "BPM_ALLOWED_HOSTS=*: any name would be taken for this server's.",
            hint="Name the hosts, with commas between.",
            id="bpm.E104",
        )
    if settings.METRICS_TOKEN and len(settings.METRICS_TOKEN) < 16:
        yield Error("BPM_METRICS_TOKEN can be guessed: give at least 16 characters.", id="bpm.E105")
