"""One demo at a time in one folder: a second one would empty the logs of the first and end its password and token."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from django.core.management.base import CommandError


class Place:
    """The folder of a demo while it has it for itself.

    The system gives the lock back when the process ends, however it ends; what stands in the file stays.

    Attributes:
        left: digest of the token of a demo that could not remove it at its end, empty without one.
    """

    def __init__(self, file: TextIO, left: str) -> None:
        self._file = file
        self.left = left

    def note(self, port: int, digest: str) -> None:
        """Write down who is here, for whoever comes next."""
        self._file.seek(0)
        self._file.truncate()
        json.dump({"process": os.getpid(), "port": port, "token": digest}, self._file)
        self._file.flush()


@contextmanager
def alone(folder: Path, port: int) -> Iterator[Place]:
    """Hold the folder of a demo.

    Raises:
        CommandError: another one has it; nothing was changed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "demo.lock").open("a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            found = _read(file)
            raise CommandError(
                f"A demo is running with the data in {folder} already (process {found.get('process', '?')}, port "
                f"{found.get('port', '?')}). End it first, or give this one a folder of its own, e.g. "
                f"BPM_VAR_DIR={folder}-{port}"
            ) from None
        yield Place(file, str(_read(file).get("token", "")))


def _read(file: TextIO) -> dict[str, Any]:
    file.seek(0)
    try:
        found = json.load(file)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
