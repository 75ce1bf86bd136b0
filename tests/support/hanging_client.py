"""A client that completes a user task inside a transaction and then does nothing any more: `python -m … TASK`."""

from __future__ import annotations

import os
import sys
import time


def main() -> None:
    """Hold the instance of the task, say so, and hang."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")
    import django

    django.setup()
    from django.db import transaction

    from bpm import engine

    with transaction.atomic():
        engine.complete_task(sys.argv[1], actor="hanging")
        print("held", flush=True)
        time.sleep(3_600)


if __name__ == "__main__":
    main()
