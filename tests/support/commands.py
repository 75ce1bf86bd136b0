"""Run this project's programs as child processes with a clean environment."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def clean_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return this process's environment without the project's variables, plus the given ones."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("BPM_", "DJANGO_")) and name != "DATABASE_URL"
    }
    return kept | dict(variables)


def run_python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the interpreter in the project's folder; the caller checks the exit code."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=clean_environment(variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
