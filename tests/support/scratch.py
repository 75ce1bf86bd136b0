"""The temporary folder of one test run."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def scratch_dir() -> Path:
    """Return a folder that vanishes when the process that made it ends."""
    folder = Path(tempfile.mkdtemp(prefix="bpm-test-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
