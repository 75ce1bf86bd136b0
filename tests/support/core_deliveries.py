"""What instances of the core host send each other, delivered after each command (semantics §4, §7, §11).

Breadth first, and per target in order: one queue. What goes to a suspended instance stays in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from bpm.core import between as b
from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.decide import Decision
from bpm.core.errors import InstanceEnded, NotFound, Refused
from bpm.core.ids import Id
from bpm.core.lookup import own_variables
from bpm.core.rows import InstanceStatus
from bpm.shell.starts import Start
from tests.support.core_calls import CallerEnded, start_of_call
from tests.support.core_messages import Messages
from tests.support.core_parts import Parts

MAX_ROWS: Final = 200
"""Deliveries at once; the rest is left to the next round of the loops."""


@dataclass(eq=False, slots=True)
class _Row:
    """One delivery; `source` is None from outside, `target` None for what finds its receiver by itself."""

    source: Id | None
    target: Id | None
    content: b.Sendable


class Deliveries:
    """The queue of deliveries, and who delivers them."""

    def __init__(self, host: Parts) -> None:
        self._host = host
        self._rows: list[_Row] = []
        self._draining = False
        self.messages = Messages(host)

    def follow_up(self, source: Id, decision: Decision) -> None:
        """Deliver what a command sent, then look whether a message is there for what the instance now waits for."""
        for sent in decision.outgoing:
            if isinstance(sent, b.Broadcast):
                self._enter_signal(source, sent.name, sent.variables, "engine")
            else:
                self._rows.append(_Row(source, sent.target, sent.content))
        self.drain()
        opened = [event for event in decision.events if isinstance(event, e.SubscriptionOpened)]
        names = [event.name for event in opened if event.kind == "message"]
        if names:
            self.messages.deliver_waiting(names)

    def broadcast(self, name: str, variables: Mapping[str, Any], actor: str) -> None:
        """Deliver a signal from outside to all who wait for it."""
        self._enter_signal(None, name, variables, actor)
        self.drain()

    def _enter_signal(self, source: Id | None, name: str, variables: Mapping[str, Any], actor: str) -> None:
        for instance in sorted(self._host.instances()):
            rows = self._host.state(instance).subscriptions.values()
            which = tuple(
                sorted(row.id for row in rows if (row.kind, row.name, row.status) == ("signal", name, "OPEN"))
            )
            if which and instance != source:
                command = c.TriggerSignal(subscriptions=which, variables=variables, actor=actor)
                self._rows.append(_Row(source, instance, command))
        for armed in self._host.definitions.waiting("signal", name):
            content = b.StartBySignal(subscription=armed.id, variables=variables, actor=actor)
            self._rows.append(_Row(source, None, content))

    @contextmanager
    def together(self) -> Iterator[None]:
        """Hold deliveries back until the block ends, as if what is in it were one transaction."""
        before, self._draining = self._draining, True
        try:
            yield
        finally:
            self._draining = before
        self.drain()

    def drain(self) -> int:
        """Deliver what can be delivered now, and what that causes; return how much. Within a delivery: nothing."""
        if self._draining:
            return 0
        done, self._draining = 0, True
        try:
            while done < MAX_ROWS and (row := self._first()) is not None:
                self._rows.remove(row)
                try:
                    self._deliver(row)
                except Refused as refusal:
                    # It must not look like a refusal of the command that caused it.
                    raise AssertionError(f"{row} was refused: {refusal}") from refusal
                self._host.check_all()
                done += 1
        finally:
            self._draining = False
        return done

    def _first(self) -> _Row | None:
        return next((row for row in self._rows if not self._is_held(row)), None)

    def _is_held(self, row: _Row) -> bool:
        if row.target not in self._host.instances() or type(row.content).__name__ in b.PASSING:
            return False
        return self._host.state(row.target).instance.status is InstanceStatus.SUSPENDED

    # one delivery

    def _deliver(self, row: _Row) -> None:
        content = row.content
        if isinstance(content, b.SendMessage):
            self.messages.send_thrown(content)
        elif isinstance(content, b.StartBySignal):
            self._start_by_signal(content)
        elif isinstance(content, b.CallProcess):
            self._call(row, content)
        else:
            assert isinstance(content, c.Command), "only the database postpones commands"
            self._give(row, content)

    def _give(self, row: _Row, command: c.Command) -> None:
        if row.target not in self._host.instances():
            self._drop(row, "the instance is not there")
            return
        if isinstance(command, b.CompleteCall | b.FinishFault):
            given = own_variables(self._host.state(command.called), command.called)
            command = replace(command, variables=given)
        try:
            self._host.carry_out(row.target, command)
        except InstanceEnded:
            self._drop(row, "the instance has ended")
        except NotFound:
            pass

    def _drop(self, row: _Row, reason: str) -> None:
        """Tell the source that it came too late."""
        if row.source is None or isinstance(row.content, b.NoteDropped):
            return
        note = b.NoteDropped(command=type(row.content).__name__, target=row.target, reason=reason)
        self._rows.append(_Row(row.target, row.source, note))

    def _start_by_signal(self, content: b.StartBySignal) -> None:
        for armed in self._host.definitions.waiting("signal"):
            if armed.id == content.subscription:
                self._host.begin(
                    Start(
                        process=armed.version.id,
                        variables=content.variables,
                        actor=content.actor,
                        node=armed.node,
                        trigger=armed.trigger,
                    )
                )

    def _call(self, row: _Row, call: b.CallProcess) -> None:
        try:
            self._host.begin(start_of_call(self._host, row.target, call))
        except CallerEnded as late:
            self._drop(row, late.message)
        except Refused as error:
            assert row.target is not None, "who calls makes the id"
            answer = b.FailCall(
                token=call.parent_token, called=row.target, kind="CallFailed", message=error.message
            )
            self._rows.append(_Row(row.target, call.parent_instance, answer))
