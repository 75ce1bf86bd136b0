"""The engines on which every scenario runs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.core_host import CoreHost
from tests.support.database_host import DatabaseHost
from tests.support.play import Play

# Each command commits, as it does in production: inside one test transaction the engine would take another path.
DATABASE = pytest.param("database", marks=pytest.mark.django_db(transaction=True))


@pytest.fixture(params=["core", DATABASE])
def play(request: pytest.FixtureRequest) -> Iterator[Play]:
    """A scenario on an empty engine."""
    if request.param == "core":
        yield Play(CoreHost())
        return
    host = DatabaseHost()
    yield Play(host)
    host.close()
