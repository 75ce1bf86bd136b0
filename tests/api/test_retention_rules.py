"""Retention rules over REST: for administrators, per tenant, each change an event of the process."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from bpm import engine
from bpm.core.values import from_text
from bpm.models import DefinitionEvent, ProcessInstance, RetentionRule
from bpm.shell.clock import frozen
from tests.api.caller import Api

pytestmark = pytest.mark.usefixtures("deployed")
GOOD = {"days": None, "own_rule": False, "changed_at": None, "changed_by": ""}


def _events(key: str) -> list[tuple[str, str, Any]]:
    rows = DefinitionEvent.objects.filter(key=key).order_by("sequence")
    return [(row.event_type, row.actor, from_text(row.payload).get("days")) for row in rows][1:]


def test_a_rule_is_set_shown_and_taken_away(api: Api, settings: Settings) -> None:
    assert api.get("/retention-rules/approval").ok() == {"process_def_id": "approval", **GOOD}
    settings.BPM = {**settings.BPM, "RETENTION_DAYS": 90}
    assert api.get("/retention-rules/approval").ok()["days"] == 90
    answer = api.put("/retention-rules/approval", {"days": 30}).ok()
    assert answer == {"process_def_id": "approval", "days": 30, "own_rule": True}
    shown = api.get("/retention-rules/approval").ok()
    assert (shown["days"], shown["own_rule"], shown["changed_by"]) == (30, True, "olga")
    assert shown["changed_at"] is not None
    assert api.put("/retention-rules/approval", {"days": None}).ok()["days"] is None
    assert api.get("/retention-rules/approval").ok()["own_rule"] is True
    answer = api.send_as("DELETE", "/retention-rules/approval").ok()
    assert answer == {"process_def_id": "approval", "days": 90, "own_rule": False}
    assert api.send_as("DELETE", "/retention-rules/approval").ok() == answer
    assert not RetentionRule.objects.exists()
    assert _events("approval") == [
        ("RetentionSet", "olga", 30),
        ("RetentionSet", "olga", None),
        ("RetentionCleared", "olga", None),
    ]


def test_the_list_has_every_process_and_goes_on_by_cursor(api: Api) -> None:
    api.put("/retention-rules/minimal", {"days": 7}).ok()
    rows = api.get("/retention-rules").items
    keys = [row["process_def_id"] for row in rows]
    assert keys == sorted(keys)
    assert {row["process_def_id"]: row["days"] for row in rows if row["own_rule"]} == {"minimal": 7}
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = api.get("/retention-rules", limit=2, **cursor).ok()
        found += page["items"]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert found == rows


def test_the_rule_decides_what_is_removed(api: Api) -> None:
    kept, gone = api.start("approval"), api.start("minimal")
    engine.cancel(kept)
    api.put("/retention-rules/minimal", {"days": 1}).ok()
    with frozen(timezone.now() + timedelta(days=2)):
        assert [removed.key for removed in engine.remove_expired(pace=0.0)] == ["minimal"]
    assert {str(one) for one in ProcessInstance.objects.values_list("id", flat=True)} == {kept}
    assert gone != kept


@pytest.mark.parametrize(
    ("body", "place", "rule"),
    [
        ({}, "", "length"),
        ({"days": -1}, "/days", "range"),
        ({"days": 36_501}, "/days", "range"),
        ({"days": "30"}, "/days", "type"),
        ({"days": 1.5}, "/days", "type"),
        ({"days": 30, "hours": 2}, "/hours", "unknown"),
    ],
)
def test_a_wrong_rule_is_refused_by_place(api: Api, body: object, place: str, rule: str) -> None:
    answer = api.put("/retention-rules/approval", body).problem(400, "RequestInvalid")
    assert answer.places == {(place, rule)}
    assert not RetentionRule.objects.exists()


@pytest.mark.parametrize("name", ["nothing", "a%00b", "x" * 300])
def test_what_was_never_deployed_has_no_rule(api: Api, name: str) -> None:
    for answer in (
        api.get(f"/retention-rules/{name}"),
        api.put(f"/retention-rules/{name}", {"days": 1}),
        api.send_as("DELETE", f"/retention-rules/{name}"),
    ):
        answer.problem(404, "DefinitionNotFound")


def test_a_call_under_a_used_key_does_nothing(api: Api) -> None:
    keyed = api.but(**{"idempotency-key": "once"})
    first = keyed.put("/retention-rules/approval", {"days": 30}).ok()
    api.send_as("DELETE", "/retention-rules/approval").ok()
    assert keyed.put("/retention-rules/approval", {"days": 30}).ok() == first
    assert not RetentionRule.objects.exists()
