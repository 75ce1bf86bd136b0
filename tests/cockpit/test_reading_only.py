"""The cockpit reads: a constant number of statements, none of which writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from bpm import engine
from bpm.models import Definition
from tests.cockpit.conftest import complete, start

_OF_ALL = ("overview", "instances", "incidents", "definitions")
_OF_INSTANCE = ("instance", "history", "variables", "work", "timeline", "timeline_piece", "replay")
_OF_DEFINITION = ("definition", "live", "heat")
PAGES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_OF_ALL, ()),
    **dict.fromkeys(_OF_INSTANCE, ("instance",)),
    **dict.fromkeys(_OF_DEFINITION, ("definition",)),
}


@pytest.fixture
def address(forked: str) -> Callable[[str], str]:
    subjects = {"instance": forked, "definition": str(Definition.objects.get(key="order", version=2).id)}
    return lambda name: reverse(f"cockpit:{name}", args=[subjects[one] for one in PAGES[name]])


@pytest.fixture
def read_only(db: None) -> Iterator[None]:
    """Let the database itself refuse to write."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION READ ONLY")
            yield
            transaction.set_rollback(True)
    else:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = ON")
        yield
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA query_only = OFF")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_needs_no_right_to_write(
    operator: Client, address: Callable[[str], str], read_only: None, name: str
) -> None:
    assert operator.get(address(name)).status_code == 200


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_a_page_answers_only_to_reading(
    operator: Client, address: Callable[[str], str], name: str, method: str
) -> None:
    assert getattr(operator, method)(address(name)).status_code in (403, 405)


@pytest.mark.parametrize("name", PAGES)
def test_the_number_of_statements_does_not_grow(
    operator: Client, address: Callable[[str], str], name: str
) -> None:
    def statements() -> int:
        with CaptureQueriesContext(
            connection,
        ) as captured:
            assert operator.get(address(name)).status_code == 200
        return len(captured)

    statements()
    few = statements()
    for number in range(12):
        other = start(n=number, more=[1, 2, 3])
        complete(other, "check")
    engine.start("order", version=1)
    assert statements() == few
    assert few <= 32


def test_who_is_not_logged_in_is_asked_to(client: Client, address: Callable[[str], str]) -> None:
    for name in PAGES:
        answer = client.get(address(name))
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/accounts/login/?next=/cockpit/")
