"""Messages on the core host: who waits for one, and those that wait for somebody (semantics §7)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core.errors import Conflict, Invalid, MessageAmbiguous, MessageUnmatched, NotFound, Refused
from bpm.core.ids import Id
from bpm.core.rows import Subscription
from bpm.shell.configuration import setting
from bpm.shell.messages import Message
from bpm.shell.starts import Start
from tests.support.core_matching import is_for
from tests.support.core_parts import Parts
from tests.support.core_versions import Armed
from tests.support.hosts import Receiver


class Waiting(NamedTuple):
    """A subscription of an instance."""

    instance: Id
    row: Subscription


class Buffered(NamedTuple):
    """A message that waits for somebody until then."""

    message: Message
    expires_at: datetime


class Messages:
    """Finds receivers, keeps what has none."""

    def __init__(self, host: Parts) -> None:
        self._host = host
        self._buffer: list[Buffered] = []

    # who waits

    def _waiting(self, message: Message) -> list[Waiting]:
        """Return who waits for a message, in order of creation; suspended instances are left out."""
        if message.start_only or message.definition is not None:
            return []
        found = [
            Waiting(instance, row)
            for instance in self._host.instances()
            for row in self._host.state(instance).subscriptions.values()
            if is_for(message, self._host.state(instance), row)
        ]
        return sorted(found, key=lambda waiting: waiting.row.id)

    def _starts(self, message: Message) -> list[Armed]:
        if not message.starts:
            return []
        return [
            armed
            for armed in self._host.definitions.waiting("message", message.name)
            if message.definition in (None, armed.version.key, armed.version.id)
        ]

    def _receivers(self, message: Message) -> list[Waiting] | list[Armed]:
        """Return who waits for it, else whom it may start."""
        return self._waiting(message) or self._starts(message)

    def _give(self, message: Message, to: Waiting | Armed) -> Receiver:
        if isinstance(to, Armed):
            return Receiver(self._start(message, to), started=True)
        command = c.TriggerMessage(subscription=to.row.id, variables=message.variables, actor=message.actor)
        self._host.carry_out(to.instance, command)
        return Receiver(to.instance, started=False)

    def _start(self, message: Message, armed: Armed) -> Id:
        return self._host.begin(
            Start(
                process=armed.version.id,
                business_key=message.business_key,
                variables=message.variables,
                actor=message.actor,
                node=armed.node,
                trigger=armed.trigger,
            )
        )

    # what waits

    def _kept(self, names: Iterable[str]) -> Iterator[Buffered]:
        wanted = frozenset(names)
        now = self._host.clock.now
        return (one for one in list(self._buffer) if one.message.name in wanted and one.expires_at > now)

    def match_buffered(self) -> int:
        """Look at all buffered messages again, as the loops do; return how many were given."""
        return self.deliver_waiting({one.message.name or "" for one in self._buffer})

    def deliver_waiting(self, names: Iterable[str]) -> int:
        """Give the buffered messages of these names, the oldest first, where exactly one receiver is there.

        Returns:
            How many were given.
        """
        given = 0
        for one in self._kept(names):
            receivers = self._receivers(one.message)
            if one in self._buffer and len(receivers) == 1:
                self._buffer.remove(one)
                given += 1
                try:
                    self._give(one.message, receivers[0])
                except Refused as refusal:
                    # It must not look like a refusal of the command after which it was given.
                    raise AssertionError(f"{one} was refused: {refusal}") from refusal
        return given

    def _keep(self, message: Message, ttl_ms: int) -> None:
        self._buffer.append(Buffered(message, self._host.clock.now + timedelta(milliseconds=ttl_ms)))

    def _let_older_go_first(self, message: Message) -> None:
        if message.starts and message.name is not None:
            self.deliver_waiting([message.name])

    # sending

    def send_thrown(self, content: b.SendMessage) -> None:
        """Give a thrown message to its one receiver; without one, or with more, it is kept."""
        message = Message(name=content.name, key=content.key, variables=content.variables, actor="engine")
        self._let_older_go_first(message)
        receivers = self._receivers(message)
        if len(receivers) == 1:
            self._give(message, receivers[0])
        else:
            self._keep(message, setting("THROWN_MESSAGE_TTL_S") * 1_000)

    def send(self, message: Message, *, ttl_ms: int | None, everybody: bool) -> list[Receiver]:
        """Give a message from outside to its one receiver, or to all.

        Raises:
            Invalid, MessageAmbiguous, MessageUnmatched.
        """
        _require_meaning(message)
        self._let_older_go_first(message)
        waiting, starts = self._waiting(message), self._starts(message)
        if everybody and (ttl_ms is None or waiting or starts):
            return self._send_to_all(message, waiting, starts)
        receivers = waiting or starts
        if len(receivers) > 1:
            raise MessageAmbiguous(message=message.name)
        if receivers:
            return [self._give(message, receivers[0])]
        if ttl_ms is None:
            raise MessageUnmatched(message=message.name)
        self._keep(message, ttl_ms)
        return []

    def _send_to_all(self, message: Message, waiting: list[Waiting], starts: list[Armed]) -> list[Receiver]:
        found = []
        with self._host.together():
            for one in waiting:
                try:
                    found.append(self._give(message, one))
                except (NotFound, Conflict):
                    # What it got before has taken away what it waited with.
                    continue
        return found + [self._give(message, one) for one in starts]


def _require_meaning(message: Message) -> None:
    if message.name is None and not (message.business_key or message.instance or message.keys):
        raise Invalid("A message needs a name, or something that says for whom it is.")
    if message.start_only and not message.starts:
        raise Invalid("A message that only starts has a name, and neither keys nor an instance.")
