"""Starting what the reader would refuse to deploy."""

from __future__ import annotations

import pytest

from bpm.core.errors import NotStartable
from tests.support.core_host import CoreHost
from tests.support.model import parse_model


def test_a_process_that_nothing_can_start_says_so() -> None:
    host = CoreHost()
    host.deploy(parse_model("task a -> b\n task b -> a"))
    with pytest.raises(NotStartable, match="p has no none start event"):
        host.start("p")
    assert host.instances() == []
