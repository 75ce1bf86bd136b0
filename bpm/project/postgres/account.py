"""The operating system's account that a private PostgreSQL server runs as."""

from __future__ import annotations

import ctypes
import os
import pwd
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True, slots=True)
class Account:
    """The account of the server's processes: the caller's own, or another where PostgreSQL refuses root."""

    uid: int | None
    gid: int | None

    def process_options(self) -> dict[str, Any]:
        """Return what ``subprocess`` takes to run a program as this account."""
        if self.uid is None:
            return {}
        return {"user": self.uid, "group": self.gid, "extra_groups": []}

    def own(self, folder: Path) -> None:
        """Give an empty or own folder to the account, closed to others."""
        folder.chmod(0o700)
        if self.uid is not None:
            shutil.chown(folder, self.uid, self.gid)


def server_account() -> Account:
    """Return ``nobody`` for root, the current account for everybody else."""
    if os.geteuid() != 0:
        return Account(None, None)
    nobody = pwd.getpwnam("nobody")
    return Account(nobody.pw_uid, nobody.pw_gid)


def die_with_parent(number: signal.Signals) -> None:
    """Ask the kernel to signal this process when its parent dies, so that a killed test run leaves no server.

    Runs between fork and exec, after the account was changed: a later change of account would clear the
    request.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number)
