"""What a form shows and keeps in a real browser, wherever it stands, and what one page's wait does to another."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission, User
from playwright.sync_api import Page, Route, expect

from bpm import engine
from bpm.core.values import from_text
from bpm.models import UserTask, Variable
from tests.api.definitions import END, START, bpmn, line
from tests.browser.people_windows import LONG_MS, Windows
from tests.support.clock import next_millisecond

_TIMES = 5
_DAY, _BIG = "2026-03-31", 9007199254740993
_FORM = """<extensionElements><camunda:formData><camunda:formField id="day" label="Day" type="date"/>
<camunda:formField id="big" label="Big" type="long"/></camunda:formData></extensionElements>"""
_STEPS = [f"step-{number}" for number in range(_TIMES)]
_AGAIN = bpmn(
    "again",
    START
    + "".join(
        f'<userTask id="{one}" name="{one}" camunda:assignee="ann">{_FORM}</userTask>' for one in _STEPS
    )
    + END
    + line("start", *_STEPS, "end"),
)
_TWO = bpmn(
    "two",
    START
    + '<userTask id="do" name="Do it" camunda:candidateUsers="ann"/>'
    + END
    + line("start", "do", "end"),
)


@pytest.fixture
def ann(transactional_db: None) -> User:
    """Somebody who completes tasks."""
    user = User.objects.create_user("ann", password="-")
    user.user_permissions.set(
        Permission.objects.filter(content_type__app_label="bpm", codename__in=("complete", "start"))
    )
    return user


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Apia"])
def test_a_day_and_a_big_number_stay_what_they_are_west_and_east(
    windows: Windows, ann: User, zone: str
) -> None:
    """P89 (a day walks backwards west of Greenwich) and P85 (numbers above 2^53 change)."""
    engine.deploy([("again.bpmn", _AGAIN)])
    instance = str(engine.start("again")["instance_id"])
    page = windows.log_in("ann", "/tasks/", timezone_id=zone)
    for number, step in enumerate(_STEPS):
        task = UserTask.objects.get(instance=UUID(instance), node=step, status="OPEN")
        page.goto(f"/tasks/{task.id}/")
        if number == 0:
            page.get_by_label("Day").fill(_DAY)
            page.get_by_label("Big").fill(str(_BIG))
        expect(page.get_by_label("Day")).to_have_value(_DAY)
        expect(page.get_by_label("Big")).to_have_value(str(_BIG))
        page.get_by_role("button", name="Complete").click()
        expect(page.get_by_role("heading", name=f"“{step}” is done")).to_be_visible()
        assert _values(instance) == {"day": _DAY, "big": _BIG}


def _values(instance: str) -> dict[str, Any]:
    rows = Variable.objects.filter(instance__id=instance, name__in=("day", "big"))
    return {name: from_text(value) for name, value in rows.values_list("name", "value")}


def test_a_claim_that_takes_long_holds_no_other_task_up(windows: Windows, ann: User) -> None:
    """P110: the wait for one task must not block the next."""
    engine.deploy([("two.bpmn", _TWO)])
    for _ in range(2):
        engine.start("two")
        next_millisecond()
    slow, quick = (str(one) for one in UserTask.objects.order_by("id").values_list("id", flat=True))
    first = windows.log_in("ann", f"/tasks/{slow}/")
    held: list[Route] = []
    first.route("**/claim/", lambda route: held.append(route))
    first.get_by_role("button", name="Take it").click(no_wait_after=True)
    second: Page = first.context.new_page()
    second.goto(f"/tasks/{quick}/")
    second.get_by_role("button", name="Take it").click()
    expect(second.get_by_role("button", name="Give it back")).to_be_visible()
    assert (UserTask.objects.get(id=slow).assignee, UserTask.objects.get(id=quick).assignee) == (None, "ann")
    deadline = time.monotonic() + LONG_MS / 1000
    while not held and time.monotonic() < deadline:
        # Routes are told while the browser is listened to.
        first.wait_for_timeout(20)
    (route,) = held
    route.continue_()
    expect(first.get_by_role("button", name="Give it back")).to_be_visible()
    assert UserTask.objects.get(id=slow).assignee == "ann"
