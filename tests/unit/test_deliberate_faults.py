"""The deliberate faults of `make mutation` can still be made: each names text that stands in the code, once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.mutation.core_faults import CORE
from tests.mutation.fault import Fault
from tests.mutation.shell_faults import SHELL

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("fault", [*CORE, *SHELL], ids=lambda fault: fault.name)
def test_a_deliberate_fault_finds_its_place_and_its_tests(fault: Fault) -> None:
    assert (ROOT / fault.path).read_text().count(fault.old) == 1
    assert all((ROOT / "tests" / test).exists() for test in fault.tests if "/" in test)
