"""The floor: what the database alone does in one command of an engine.

One prepared statement inserts three history rows and one token, updates one token and one instance, at random among
100,000 instances, and commits. pgbench sends it where there is one, else psycopg.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from django.db import connection

INSTANCES = 100_000
SCHEMA_NAME = "bench_floor"

_TABLES = Path(__file__).with_name("floor_tables.sql")
_COMMAND = Path(__file__).with_name("floor_command.sql")
_PLACES = {
    "PGHOST": "HOST",
    "PGPORT": "PORT",
    "PGUSER": "USER",
    "PGPASSWORD": "PASSWORD",
    "PGDATABASE": "NAME",
}

Floor = Callable[[int], float]
"""Does that many commands and returns commands per second."""


def make_floor() -> Floor:
    """Create the floor's tables anew and return how to measure it."""
    with connection.cursor() as cursor:
        for statement in _TABLES.read_text().split("\n\n"):
            cursor.execute(statement)
    program = find_pgbench()
    return _by_psycopg if program is None else partial(_by_pgbench, program)


def find_pgbench() -> Path | None:
    """Return the newest pgbench of the system."""
    on_path = shutil.which("pgbench")
    if on_path:
        return Path(on_path)
    return max(Path("/usr/lib/postgresql").glob("*/bin/pgbench"), default=None)


def _by_pgbench(program: Path, commands: int) -> float:
    given = connection.settings_dict
    environment = os.environ | {name: str(given[key]) for name, key in _PLACES.items() if given.get(key)}
    command = [str(program), "--no-vacuum", "--protocol=prepared", f"--file={_COMMAND}"]
    command += ["--client=1", f"--transactions={commands}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)  # noqa: S603
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found is not None, done.stdout
    return float(found[1])


def _by_psycopg(commands: int) -> float:
    connection.ensure_connection()
    raw = connection.connection
    lines = _COMMAND.read_text().splitlines()
    query = "\n".join(line for line in lines if not line.startswith("\\")).replace(":id", "%(id)s::bigint")
    begun = time.perf_counter()
    for _ in range(commands):
        raw.execute(query, {"id": random.randint(1, INSTANCES)}, prepare=True)  # noqa: S311
    return commands / (time.perf_counter() - begun)
