"""The PostgreSQL server of one test run."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from functools import cache

from bpm.project.postgres import embedded_postgres


@cache
def server_url() -> str:
    """Start the server once and return its URL; it stops when the process ends."""
    stack = ExitStack()
    url = stack.enter_context(embedded_postgres())
    atexit.register(stack.close)
    return url
