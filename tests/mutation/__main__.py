"""`python -m tests.mutation core|shell|remembering [options]`: fast tests against changed code, in a copy of the tree.

Options go to pytest: `--mutants N`, `--mutation-seed N`, `--no-faults`, `--mutation-report FILE`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
COPIED = ("bpm", "api", "cockpit", "templates", "tests", "docs", "manage.py", "pyproject.toml")
UNIT = tuple(f"tests/unit/{name}" for name in ("core", "expressions", "test_timing.py", "test_cron.py"))
TESTS = {
    "core": ("-k", "not database", "tests/semantics", "tests/bpmn", *UNIT),
    "shell": (
        *(
            "tests/db",
            "tests/access/test_tenants.py",
            "tests/tasklist/test_forms.py",
            "tests/api/test_idempotency.py",
        ),
        *(f"tests/semantics/test_{name}.py" for name in ("external_tasks", "jobs", "timers", "suspension")),
    ),
    "remembering": (
        *(
            f"tests/db/test_{name}.py"
            for name in (
                "remembered",
                "remembered_questions",
                "remembered_at_random",
                "unread",
                "lists_on_one_instance",
            )
        ),
        *(f"tests/semantics/test_{name}.py" for name in ("external_tasks", "user_tasks", "suspension")),
        "tests/unit/test_row_modes.py",
    ),
}
DATABASES = {"remembering": "postgresql"}
PLUGIN = ("-p", "tests.mutation.plugin", "-p", "no:cacheprovider", "--timeout=60")
FAST = ("-q", "-m", "not slow and not crash and not corpus")


def main() -> int:
    """Copy the tree, run there."""
    part, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        for name in COPIED:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
            elif (ROOT / name).exists():
                shutil.copy(ROOT / name, folder)
        command = [sys.executable, "-m", "pytest", *PLUGIN, *FAST, *options, *TESTS[part]]
        command += ["--mutation-part", part]
        environment = os.environ | {"PYTHONPATH": folder, "HYPOTHESIS_PROFILE": "mutation"}
        environment["BPM_TEST_DATABASE"] = DATABASES.get(part, "sqlite")
        return subprocess.run(command, cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
