"""Call activities: what is called, variables in and out, errors and escalations across, ends on both sides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bpm import engine
from bpm.models import Outbox
from tests.support.between import (
    END,
    START,
    at,
    call,
    check_all,
    complete,
    deploy,
    event,
    events,
    file,
    incidents,
    instances,
    node,
    nothing_on_the_way,
    only,
    process,
    start,
    status,
    timer,
    user,
    variables,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _checked() -> Iterator[None]:
    yield
    check_all()


CHILD = process("child", START, user("work"), END, line="s work e")


def parent(inside: str = "", *more: str, line: str = "s c after e", **attributes: str) -> str:
    return process(
        "parent", START, call("c", "child", inside, **attributes), user("after"), END, *more, line=line
    )


def test_the_caller_waits_for_the_called_process_and_goes_on() -> None:
    deploy(file(parent(), CHILD))
    caller = start("parent", variables={"x": 1})
    called = only("child")
    assert (at(caller), at(called)) == (["c"], ["work"])
    assert variables(called) == {}
    complete(called, y=2)
    assert (status(called), at(caller)) == ("COMPLETED", ["after"])
    assert variables(caller) == {"x": 1}
    assert nothing_on_the_way()


def test_a_called_process_that_ends_at_once_returns_at_once() -> None:
    deploy(file(parent(), process("child", START, END, line="s e")))
    caller = start("parent")
    assert at(caller) == ["after"]
    complete(caller)
    assert status(caller) == "COMPLETED"
