"""A write on an instance that has changed since it was read is not made, on either database (semantics §11)."""

from __future__ import annotations

import pytest
from django.db import transaction
from django.db.models import F

from bpm import engine
from bpm.core.commands import CompleteUserTask
from bpm.models import HistoryEvent, ProcessInstance, UserTask
from bpm.shell.execute import prepare
from bpm.shell.flush import flush_batch
from bpm.shell.requests import Request
from bpm.shell.sql import dialect
from bpm.shell.sql.document import Guard
from bpm.shell.violations import Lost
from tests.support.loop_models import deploy, process

pytestmark = pytest.mark.django_db(transaction=True)


def _complete(*, meanwhile: bool) -> None:
    """Read, decide, let somebody else write in between or not, and write."""
    task = UserTask.objects.get()
    with transaction.atomic():
        batch, opened = prepare([Request(CompleteUserTask(task=str(task.pk)), "")], dialect())
        assert opened
        batch.read()
        batch.decide()
        if meanwhile:
            ProcessInstance.objects.update(revision=F("revision") + 1)
        flush_batch(batch, dialect(), guard=Guard.REVISION)


def test_a_lost_race_is_noticed_and_nothing_of_it_is_kept() -> None:
    deploy(process("p", "<userTask ID/>"))
    engine.start("p")
    before = HistoryEvent.objects.count()
    with pytest.raises(Lost):
        _complete(meanwhile=True)
    assert HistoryEvent.objects.count() == before
    assert UserTask.objects.get().status == "OPEN"
    _complete(meanwhile=False)
    assert ProcessInstance.objects.get().status == "COMPLETED"
