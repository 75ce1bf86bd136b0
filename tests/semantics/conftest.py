"""The engines on which every scenario runs."""

from __future__ import annotations

import pytest

from tests.support.core_host import CoreHost
from tests.support.play import Play


@pytest.fixture(params=["core"])
def play(request: pytest.FixtureRequest) -> Play:
    """A scenario on an empty engine."""
    return Play(CoreHost())
