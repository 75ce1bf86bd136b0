"""The deliberate faults of `make mutation` can still be made: each names text that stands in the code, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.faults import FAULTS, Fault

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "fault", [fault for part in FAULTS.values() for fault in part], ids=lambda fault: fault.name
)
def test_a_deliberate_fault_finds_its_place_and_its_tests(fault: Fault) -> None:
    assert (ROOT / fault.path).read_text().count(fault.old) == 1
    assert all((ROOT / "tests" / test).exists() for test in fault.tests if "/" in test)
