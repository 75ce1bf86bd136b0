"""Histories as JSON lines: complete, in order, and verifiable without a database (docs/how-to/verify.md).

    {"format": "bpm-history", "version": 1, "instance_id": …, "tenant": …, "definition": {…}, …}
    {"sequence": 0, "event_type": …, "occurred_at": …, …, "payload": "…", "salt": "…", "digest": null, "hash": "…"}
    …
    {"events": 12, "head": "…"}

The payload stays the text that it is, because its digest is of that text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from bpm.core import events as e
from bpm.core.errors import InstanceNotFound
from bpm.core.ids import Id
from bpm.models import ProcessInstance
from bpm.shell.snapshot import one_snapshot
from bpm.shell.stored_history import StoredEvent, erasures_in, stored_events
from bpm.shell.verifying.findings import CHAIN_BROKEN, Finding, Verified
from bpm.shell.verifying.histories import CheckedHistory
from bpm.shell.verifying.rows import rule_findings

FORMAT: Final = "bpm-history"
VERSION: Final = 1


class ExportUnreadable(ValueError):
    """A file is no export of histories, or one of another version; the text names the line."""


def export_lines(instance: Id, *, tenant: str | None = None) -> Iterator[str]:
    """Yield an instance's history as lines, each with its end.

    All lines are read in one snapshot, which lasts until the last one was taken.

    Raises:
        InstanceNotFound: there is none of this id (in this tenant).

    Statements: 3 and 1 per 1,000 events.
    """
    with one_snapshot():
        rows = ProcessInstance.objects.filter(id=instance).select_related("definition")
        row = (rows if tenant is None else rows.filter(tenant=tenant)).first()
        if row is None:
            raise InstanceNotFound(id=instance)
        yield _line(_header(row))
        count = 0
        for stored in stored_events(instance):
            yield _line(stored._asdict())
            count += 1
        yield _line({"events": count, "head": row.head})


def _header(row: ProcessInstance) -> dict[str, Any]:
    definition = row.definition
    return {
        "format": FORMAT,
        "version": VERSION,
        "instance_id": str(row.id),
        "tenant": row.tenant,
        "business_key": row.business_key,
        "status": row.status,
        "definition": {
            "id": str(definition.pk),
            "key": definition.key,
            "version": definition.version,
            "checksum": definition.checksum,
        },
    }


def _line(values: dict[str, Any]) -> str:
    return json.dumps(values, default=datetime.isoformat, separators=(",", ":")) + "\n"


def verify_export(lines: Iterable[str]) -> Iterator[Verified]:
    """Verify an export of one or more instances, without a database; yield the result for each.

    One history is held at a time.

    Raises:
        ExportUnreadable.
    """
    history: list[StoredEvent] = []
    header: dict[str, Any] | None = None
    for number, line in enumerate(lines, 1):
        values = _values(number, line)
        if "format" in values:
            if header is not None:
                raise ExportUnreadable(f"line {number}: the history before has no end")
            if (values["format"], values.get("version")) != (FORMAT, VERSION):
                raise ExportUnreadable(f"line {number}: this is not {FORMAT} in version {VERSION}")
            header, history = values, []
        elif header is None:
            raise ExportUnreadable(f"line {number}: a history begins with a line that names its format")
        elif "sequence" in values:
            history.append(_stored(number, values))
        else:
            yield _verify(number, header, history, values)
            header = None
    if header is not None:
        raise ExportUnreadable(f"the last history, of {header.get('instance_id')}, has no end")


def _values(number: int, line: str) -> dict[str, Any]:
    try:
        values = json.loads(line)
    except ValueError as error:
        raise ExportUnreadable(f"line {number}: {error}") from None
    if not isinstance(values, dict):
        raise ExportUnreadable(f"line {number}: an object is expected")
    return values


def _stored(number: int, values: dict[str, Any]) -> StoredEvent:
    try:
        return StoredEvent(**{**values, "occurred_at": datetime.fromisoformat(values["occurred_at"])})
    except (KeyError, TypeError, ValueError) as error:
        raise ExportUnreadable(f"line {number}: no event: {error}") from None


def _verify(number: int, header: dict[str, Any], history: list[StoredEvent], end: dict[str, Any]) -> Verified:
    verified = Verified(instance=str(header.get("instance_id")), tenant=str(header.get("tenant")))
    erased = e.PersonalDataErased.__name__
    payloads = [stored.payload for stored in history if stored.event_type == erased]
    try:
        erasures = erasures_in(payloads)
    except (KeyError, TypeError, ValueError):
        erasures = {}
    checked = CheckedHistory(verified, lambda: erasures)
    checked.read(history)
    if end.get("events") != len(history) or end.get("head") != verified.head:
        text = (
            f"line {number}: the end says {end.get('events')} events and another hash than the newest event"
        )
        verified.add(Finding(CHAIN_BROKEN, "history", "end", text, verified.through))
    if checked.state is not None:
        verified.add(*rule_findings(checked.state))
        if checked.state.instance.status.value != header.get("status"):
            text = f"the history leads to {checked.state.instance.status}, the export says {header.get('status')}"
            verified.add(Finding("InstanceStatus", "instance", "status", text))
    return verified
