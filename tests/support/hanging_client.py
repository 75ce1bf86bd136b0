"""A client that completes a user task in a transaction and, once told to, does nothing any more: `python -m … TASK`.

Before it hangs it holds the instance for as long as it takes; only then does the session's time-out count.
"""

from __future__ import annotations

import os
import sys
import time
from typing import Any

_TIMEOUT = "idle_in_transaction_session_timeout"


def main() -> None:
    """Hold the instance of the task, say so, wait for a line, say that it hangs, and hang."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")
    import django

    django.setup()
    from django.db import connection, transaction

    from bpm import engine

    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [_TIMEOUT])
        (usual,) = cursor.fetchone()
        _set_timeout(cursor, "0")
        with transaction.atomic():
            engine.complete_task(sys.argv[1], actor="hanging")
            print("held", flush=True)
            sys.stdin.readline()
            _set_timeout(cursor, usual)
            print("hanging", flush=True)
            time.sleep(3_600)


def _set_timeout(cursor: Any, value: str) -> None:
    cursor.execute("SELECT set_config(%s, %s, false)", [_TIMEOUT, value])


if __name__ == "__main__":
    main()
