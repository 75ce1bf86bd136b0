"""Finding instances by anything."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from bpm import engine
from bpm.models import ProcessInstance
from bpm.queries.instance_search import VariableCondition, search_instances
from bpm.queries.instances import InstanceFilter
from tests.cockpit.conftest import complete, start

Page = Callable[..., str]


@pytest.fixture
def three(deployed: None) -> list[str]:
    """One at its fork, one with a full customer, one that was cancelled."""
    found = [start(n=number, customer={"name": "Grace"} if number == 1 else "Ada") for number in range(3)]
    complete(found[1], "check")
    engine.cancel(found[2])
    return found


@pytest.mark.parametrize(
    ("wanted", "numbers"),
    [
        ({}, {0, 1, 2}),
        ({"business_key": "A-1"}, {0, 1, 2}),
        ({"business_key": "A"}, set()),
        ({"status": "RUNNING"}, {0, 1}),
        ({"status": "CANCELLED"}, {2}),
        ({"status": "live"}, {0, 1}),
        ({"status": "ended"}, {2}),
        ({"node": "join"}, {1}),
        ({"process": "order", "version": "2"}, {0, 1, 2}),
        ({"process": "order", "version": "1"}, set()),
        ({"variable": "n", "value": "1"}, {1}),
        ({"variable": "n", "value": "1.5"}, set()),
        ({"variable": "customer", "value": "Ada"}, {0, 2}),
        ({"variable": "customer", "value": '{"name":"Grace"}'}, {1}),
        ({"variable": "missing"}, set()),
        ({"incident": "yes"}, set()),
        ({"from": "2000-01-01 00:00"}, {0, 1, 2}),
        ({"to": "2000-01-01 00:00"}, set()),
    ],
)
def test_each_condition_narrows(
    page: Page, three: list[str], wanted: dict[str, str], numbers: set[int]
) -> None:
    html = page("instances", **wanted)
    assert {number for number, instance in enumerate(three) if instance in html} == numbers


@pytest.mark.parametrize(
    "wrong",
    [{"id": "x"}, {"version": "two"}, {"from": "yesterday"}, {"from": "2000-13-45 99:99"}, {"value": "1"}],
)
def test_what_cannot_be_read_is_said_at_its_field_and_nothing_is_lost(
    page: Page, wrong: dict[str, str]
) -> None:
    html = page("instances", business_key="kept", **wrong)
    assert 'aria-invalid="true"' in html
    assert 'value="kept"' in html
    assert "The search cannot be carried out" in html


def test_an_id_leads_to_its_page(operator: Client, three: list[str]) -> None:
    answer = operator.get(reverse("cockpit:instances"), {"id": three[0]})
    assert answer.headers["Location"] == reverse("cockpit:instance", args=[three[0]])


def test_pages_are_continued_by_key(deployed: None) -> None:
    made = {start() for _ in range(5)}
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        found = search_instances("", InstanceFilter(), cursor=cursor, limit=2)
        seen += [str(row.instance_id) for row in found.items]
        cursor = found.next
    assert cursor is None
    assert set(seen) == made
    assert seen == sorted(seen, reverse=True)


def test_a_rare_match_is_found_stretch_by_stretch(deployed: None) -> None:
    rare = start(mark="here")
    for _ in range(6):
        start()
    wanted = (VariableCondition(name="mark", value="here"),)
    pages, cursor, found = 0, None, []
    while True:
        page = search_instances("", InstanceFilter(), variables=wanted, cursor=cursor, stretch=2)
        pages, cursor = pages + 1, page.next
        found += [str(row.instance_id) for row in page.items]
        if cursor is None:
            break
        assert page.short
    assert (found, pages) == ([rare], 4)


def test_a_time_range_is_half_open(deployed: None) -> None:
    start()
    at = ProcessInstance.objects.get().started_at
    assert search_instances("", InstanceFilter(started_from=at)).count.count == 1
    assert search_instances("", InstanceFilter(started_before=at)).count.count == 0


def test_a_broken_cursor_is_404(operator: Client, deployed: None) -> None:
    assert operator.get(reverse("cockpit:instances"), {"cursor": "§"}).status_code == 404
