"""The shipped units: systemd itself takes them, and they start and stop what they should."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import ROOT

UNITS = sorted((ROOT / "docs" / "deployment").glob("*.service"))


def test_there_is_one_for_each_part() -> None:
    assert [unit.name for unit in UNITS] == ["bpm-cluster.service", "bpm-web.service"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_systemd_takes_it(unit: Path, tmp_path: Path) -> None:
    here = tmp_path / unit.name
    here.write_text(unit.read_text().replace("/srv/bpm", str(ROOT)))
    found = subprocess.run(
        ["systemd-analyze", "verify", "--recursive-errors=no", str(here)],
        capture_output=True,
        text=True,
        check=False,
    )
    # Words that it does not know are warnings only.
    assert (found.returncode, found.stdout + found.stderr) == (0, "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_it_runs_its_part_and_ends_it_as_a_whole(unit: Path) -> None:
    parser = configparser.ConfigParser(interpolation=None, strict=True)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(unit)
    service = parser["Service"]
    script, part = service["ExecStart"].split()
    assert part == unit.stem.removeprefix("bpm-")
    assert (ROOT / script.removeprefix("/srv/bpm/")).stat().st_mode & 0o111
    assert (service["KillMode"], service["Restart"]) == ("control-group", "always")
    # Workers get 30 s to finish, handlers of the cluster 20 s after 20 s for the ticker.
    assert int(service["TimeoutStopSec"]) > 40
    assert parser["Install"]["WantedBy"] == "multi-user.target"
