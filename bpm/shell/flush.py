"""From what commands did to a document, changed rows and new events, and from there into the database."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connections, transaction

from bpm.core import events as e
from bpm.shell.arrivals import Arrived, ArrivedBefore, follow_up
from bpm.shell.batch import Batch
from bpm.shell.outcome import Done, Outcome
from bpm.shell.outgoing import add_outgoing
from bpm.shell.remembering.learning import learn
from bpm.shell.remembering.memory import memory
from bpm.shell.remembering.rehearsal import Lesson
from bpm.shell.row_changes import add_to_document
from bpm.shell.sql import Dialect
from bpm.shell.sql.document import Document, Guard
from bpm.shell.violations import Lost
from bpm.shell.work import Work


def flush_batch(batch: Batch, sql: Dialect, *, guard: Guard, arrived: Arrived | None = None) -> None:
    """Write what a batch decided. Statements: 1, or 0 when nothing happened.

    The working sets are kept once it is committed.

    Args:
        arrived: what caused the batch, and is removed with the same statement.

    Raises:
        Lost: some instance's revision is not the one that was read; then nothing may be kept.
        ArrivedBefore: somebody else was faster with what caused it; likewise.
    """
    works = batch.written
    alone = works[0].recalled if len(works) == 1 == len(batch.works) and arrived is None else None
    document, activated = Document(None if alone is None else alone.plans), []
    for work in works:
        if work.recalled is not None:
            document.put_alike(work.recalled.rows, work.recalled.values, work.recalled.history)
            continue
        if work.lesson is not None:
            document.take(_learned(work, work.lesson, batch.outcomes[work.requests[0][0]]))
        else:
            add_to_document(document, work.state, work.events, new=work.new)
        if e.InstanceActivated in work.kinds:
            activated.append(work.state.instance.id)
    for work in batch.works.values():
        if work.sent:
            instance = work.state.instance
            add_outgoing(document, instance.tenant, instance.id, work.sent, instance.updated_at or batch.now)
    if arrived is not None:
        arrived.add_to(document)
    if not document:
        return
    written = sql.write(document, guard=guard)
    if written.instances != len(works):
        raise Lost
    if arrived is not None and written.arrived != arrived.number:
        raise ArrivedBefore
    if connections[DEFAULT_DB_ALIAS].in_atomic_block:
        transaction.on_commit(batch.keep_sets)
    else:
        batch.keep_sets()
    follow_up(document, written, activated)


def _learned(work: Work, lesson: Lesson, outcome: Outcome | None) -> Document:
    """Return what a work writes; what was decided is remembered."""
    document = Document()
    add_to_document(document, work.state, work.events, new=work.new)
    assert isinstance(outcome, Done), "what was refused writes nothing"
    learn(memory, lesson, work.state, document, outcome)
    return document
