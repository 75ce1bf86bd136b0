"""One history: its numbers, hashes and digests, the rules over events, and the state that it gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from bpm.core.errors import EngineError
from bpm.core.events import Event
from bpm.core.invariants.histories import HistoryRules
from bpm.core.state import State
from bpm.shell.history import BY_NAME, chain_hash, digest_of
from bpm.shell.stored_history import Erasures, ErasureUnknown, Folding, StoredEvent
from bpm.shell.verifying.findings import (
    CHAIN_BROKEN,
    COLUMN_WRONG,
    ERASURE_WRONG,
    NOT_FOLDABLE,
    Finding,
    Verified,
)


class CheckedHistory:
    """A history on its way through the checks.

    Attributes:
        state: what it gives, None from the first event on that cannot be applied.
    """

    def __init__(self, verified: Verified, erasures: Callable[[], Erasures] | None = None) -> None:
        self._verified = verified
        self._folding = Folding(verified.instance, erasures)
        self._rules = HistoryRules()
        self._foldable = True

    @property
    def state(self) -> State | None:
        """The state after the newest event."""
        return self._folding.state if self._foldable else None

    def read(self, events: Iterable[StoredEvent]) -> None:
        """Check all events, in order."""
        verified = self._verified
        for stored in events:
            verified.add(*self._row(stored))
            verified.events += 1
            verified.through, verified.head = stored.sequence, stored.hash
            if self._foldable:
                self._apply(stored)

    def _row(self, stored: StoredEvent) -> Iterator[Finding]:
        digest = stored.digest
        if digest is None:
            digest = digest_of(stored.salt, stored.payload)
        elif stored.payload or stored.salt:
            yield _finding(ERASURE_WRONG, stored, "it has a digest as if it was erased, and a payload")
        expected = chain_hash(
            self._verified.head,
            stored.sequence,
            stored.event_type,
            stored.occurred_at.isoformat(timespec="microseconds"),
            stored.token or "",
            stored.node or "",
            digest,
            stored.actor,
        )
        if expected != stored.hash:
            yield _finding(
                CHAIN_BROKEN, stored, "its hash is not that of its content and of the event before it"
            )
        shape = BY_NAME.get(stored.event_type)
        if shape is None:
            return
        if stored.category != shape.category:
            yield _finding(COLUMN_WRONG, stored, f"its category is {stored.category}, not {shape.category}")
        if stored.digest is None and bool(stored.salt) != shape.erasable:
            yield _finding(
                COLUMN_WRONG, stored, "only an event that can be erased has a salt, and each has one"
            )
        if stored.digest is not None and not shape.erasable:
            yield _finding(ERASURE_WRONG, stored, f"a {stored.event_type} cannot be erased")

    def _apply(self, stored: StoredEvent) -> None:
        try:
            event = self._folding.decode(stored)
        except ErasureUnknown as error:
            self._stop(_finding(ERASURE_WRONG, stored, str(error)))
            return
        except (KeyError, TypeError, ValueError) as error:
            self._stop(_finding(NOT_FOLDABLE, stored, f"it cannot be read: {type(error).__name__} {error}"))
            return
        self._check(stored, event)
        try:
            self._folding.apply(event, stored.occurred_at)
        except EngineError as error:
            self._stop(_finding(error.invariant or NOT_FOLDABLE, stored, str(error)))
        except Exception as error:  # noqa: BLE001 - whatever a wrong event does to the fold is a finding
            self._stop(_finding(NOT_FOLDABLE, stored, f"it cannot follow: {type(error).__name__} {error}"))

    def _check(self, stored: StoredEvent, event: Event) -> None:
        verified = self._verified
        if event.ends_token != stored.final:
            verified.add(_finding(COLUMN_WRONG, stored, f"final is {stored.final}, not {event.ends_token}"))
        for broken in self._rules.check(stored.sequence, event, stored.occurred_at):
            verified.add(_finding(broken.rule, stored, broken.text))

    def _stop(self, finding: Finding) -> None:
        # What the rules have said of this event says it better.
        if all(known.sequence != finding.sequence for known in self._verified.findings):
            self._verified.add(finding)
        self._foldable = False


def _finding(rule: str, stored: StoredEvent, text: str) -> Finding:
    about = f"event {stored.sequence} ({stored.event_type}): {text}"
    return Finding(rule, "history", str(stored.sequence), about, stored.sequence)
