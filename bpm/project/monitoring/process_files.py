"""The folder in which the processes of this machine add up their counters.

Each process has files of its own there, named after it. What a process has counted stays counted after its end, so its
files are folded into those of process 0, which is none.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Read by prometheus_client when it is imported."""

_FILE = re.compile(r"(?P<kind>counter|histogram)_(?P<process>\d+)\.db")


def use_folder(folder: Path) -> None:
    """Let this process and its children count in `folder`, which is made; a folder that is named already stays.

    Raises:
        ImproperlyConfigured: it cannot be made, or not be written.
    """
    if not os.environ.get(VARIABLE):
        os.environ[VARIABLE] = str(folder)
    chosen = Path(os.environ[VARIABLE])
    try:
        chosen.mkdir(parents=True, exist_ok=True, mode=0o700)
        writable = os.access(chosen, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if not writable:
        raise ImproperlyConfigured(
            f"BPM_VAR_DIR: the folder {chosen} cannot be made or written by this account."
        )
    # Whoever imported the library before has fixed how it counts.
    from prometheus_client import values

    values.ValueClass = values.get_value_class()


@contextmanager
def settled_folder() -> Iterator[Path]:
    """Hold the folder with the files of ended processes folded."""
    folder = Path(os.environ[VARIABLE])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in sorted(folder.glob("*.db")):
            found = _FILE.fullmatch(path.name)
            if found and found["process"] != "0" and not _is_running(int(found["process"])):
                _fold(path, folder / f"{found['kind']}_0.db")
        yield folder


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _fold(path: Path, into: Path) -> None:
    from prometheus_client.mmap_dict import MmapedDict

    sums = MmapedDict(str(into))
    try:
        for key, value, timestamp, _ in MmapedDict.read_all_values_from_file(str(path)):
            sums.write_value(key, sums.read_value(key)[0] + value, timestamp)
    finally:
        sums.close()
    path.unlink()
