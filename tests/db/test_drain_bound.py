"""What a command causes is delivered by its own process up to a bound; the loops do the rest (semantics §11)."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.models import Outbox, ProcessInstance
from bpm.shell.outbox import MAX_ROWS
from tests.support.between import END, START, deploy, instances, node, process, user

pytestmark = pytest.mark.django_db(transaction=True)

_WIDE = 230
_EACH = (
    "<multiInstanceLoopCharacteristics>"
    f"<loopCardinality>{_WIDE}</loopCardinality></multiInstanceLoopCharacteristics>"
)


def test_one_command_delivers_two_hundred_rows_and_the_loops_the_rest() -> None:
    child = process("child", START, user("work"), END, line="s work e")
    parent = process(
        "parent", START, node("callActivity", "c", _EACH, calledElement="child"), END, line="s c e"
    )
    deploy(child, parent)
    engine.start("parent")
    begun = ProcessInstance.objects.filter(parent_instance__isnull=False).count()
    assert begun <= MAX_ROWS
    assert Outbox.objects.count() == _WIDE - begun
    Outbox.objects.update(available_at="2000-01-01T00:00:00Z")
    assert len(engine.deliver_due(200).done) == _WIDE - begun
    assert ProcessInstance.objects.filter(parent_instance__isnull=False).count() == _WIDE
    assert len(instances("child")) == _WIDE
