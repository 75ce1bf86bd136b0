"""Walking through all situations of a process that can be reached, breadth first, up to bounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core.context import Context, Limits
from bpm.core.decide import decide
from bpm.core.errors import InvariantViolated, Refused
from bpm.core.exploring.abstraction import Abstract
from bpm.core.exploring.canonical import key_of
from bpm.core.exploring.environment import EVERYTHING, Environment, Move, calling, later, moves_of
from bpm.core.exploring.live import Live
from bpm.core.exploring.marking import marking_of
from bpm.core.exploring.space import Bounds, Broken, Situation, Space, Step
from bpm.core.ids import Id, IdSource
from bpm.core.invariants import violations
from bpm.core.state import Instance, State

_BEGIN: Final = datetime(2030, 1, 1, tzinfo=UTC)
_ROOT: Final = "00000000-0000-7000-8000-000000000001"
_ENTERS: Final = (e.TokenCreated, e.TokenArrived, e.ScopeEntered)
_FROM_OUTSIDE: Final = frozenset(
    {"CallCancelled", "ExternalTaskFailed", "HandlerCrashed", "JobFailed", "UncaughtError"}
)
"""Incidents that do not come of there being no data."""
_LIMITS: Final = Limits(steps=400, passes=200)


class _Waiting(NamedTuple):
    number: int
    state: State
    spent: frozenset[Id]


class Exploration:
    """One walk.

    Args:
        clock: seconds from some point on; the core has none of its own.
        checked: whether invariants are checked in every situation.
    """

    def __init__(
        self,
        process: Abstract,
        environment: Environment = EVERYTHING,
        bounds: Bounds | None = None,
        clock: Callable[[], float] | None = None,
        *,
        checked: bool = True,
    ) -> None:
        self.space = Space()
        self._process = process
        self._environment = environment
        self._bounds = bounds or Bounds()
        self._clock = clock
        self._until = None
        if clock is not None and self._bounds.seconds is not None:
            self._until = clock() + self._bounds.seconds
        self._checked = checked
        self._numbers: dict[Any, int] = {}
        self._waiting: deque[_Waiting] = deque()
        self._caught: set[Id] = set()
        self._commands = 0

    def walk(self) -> Space:
        """Walk as far as the bounds let it, and return what was found."""
        for start in _starts(self._process):
            state = State(Instance(id=_ROOT, updated_at=_BEGIN), everything=True)
            self._make(_Waiting(-1, state, frozenset()), start)
        space = self.space
        while self._waiting:
            if self._is_over():
                space.open.update(waiting.number for waiting in self._waiting)
                break
            self._follow(self._waiting.popleft())
        return space

    def _is_over(self) -> bool:
        if not self._is_late() and len(self.space.situations) >= self._bounds.states and self._waiting:
            self.space.bound = "states"
        return self.space.bound in ("seconds", "states")

    def _is_late(self) -> bool:
        if self._until is not None and self._clock is not None and self._clock() > self._until:
            self.space.bound = "seconds"
        return self.space.bound == "seconds"

    def _follow(self, waiting: _Waiting) -> None:
        live = Live(self._process, waiting.state)
        colours = key_of(live, waiting.spent).colours
        made: set[tuple[Any, ...]] = set()
        for move in list(moves_of(live, self._environment, waiting.spent)):
            alike = (move.words, colours.get(move.about))
            if alike not in made:
                made.add(alike)
                self._make(waiting, move)
            if self._is_over():
                self.space.open.add(waiting.number)
                return

    def _make(self, waiting: _Waiting, move: Move) -> None:
        """Make a move in every way in which it can fall out."""
        state, oracle = waiting.state, self._process.oracle
        oracle.demanded = move.demanded
        rows = state.subscriptions
        oracle.quiet = {rows[name].node for name in waiting.spent if name in rows}
        mark = state.mark()
        for _ in oracle.runs():
            if self._is_late():
                break
            try:
                self._run(state, move)
                self._reached(waiting, move)
            except Refused:
                continue
            except (InvariantViolated, AssertionError, LookupError, TypeError, ValueError) as error:
                step = Step(waiting.number, self._words(move))
                self.space.broken.append(Broken(step, f"{type(error).__name__}: {error}"))
            finally:
                state.rollback(mark)
                state.fresh.clear()
        if oracle.cut:
            oracle.cut = False
            self.space.open.add(waiting.number)
            self.space.bound = self.space.bound or "choices"

    def _run(self, state: State, move: Move) -> None:
        self._caught = set(move.spends)
        for command in move.commands:
            now = later(state.instance.updated_at or _BEGIN, move)
            self._commands += 1
            context = Context(
                now=now,
                ids=IdSource(now, self._commands, state.instance.sequence + 1),
                has_handler=_is_script,
                limits=_LIMITS,
            )
            decision = decide(self._process.graph, state, command, context)
            for event in decision.events:
                if isinstance(event, _ENTERS):
                    self.space.entered.add(event.node)
                elif isinstance(event, e.IncidentOpened) and event.kind not in _FROM_OUTSIDE:
                    self.space.unclear.add(event.node)
                elif isinstance(event, e.SubscriptionTriggered) and event.remains:
                    self._caught.add(event.subscription)

    def _words(self, move: Move) -> tuple[str, ...]:
        said = self._process.oracle.said
        return (f"{move.words}: {', '.join(said)}" if said else move.words,)

    def _reached(self, waiting: _Waiting, move: Move) -> None:
        state, space = waiting.state, self.space
        live = Live(self._process, state)
        spent = (waiting.spent | self._caught) if self._caught else waiting.spent
        if spent:
            spent = frozenset(name for name in spent if _still_waits(state, name))
        space.transitions += 1
        key = key_of(live, spent).value
        number = self._numbers.get(key)
        if number is None:
            number = self._add(live, spent, Step(waiting.number, self._words(move), move.repairs))
            self._numbers[key] = number
        if waiting.number >= 0:
            space.before[number].append(waiting.number)
            space.after[waiting.number] += 1

    def _add(self, live: Live, spent: frozenset[Id], step: Step) -> int:
        space, instance = self.space, live.state.instance
        number = len(space.situations)
        marking = marking_of(live)
        space.situations.append(Situation(step, marking, instance.ended, instance.failed > 0))
        space.before.append([])
        space.after.append(0)
        if self._checked:
            found = violations(live.state)
            space.broken += [Broken(step, f"{one.rule}: {one.text}") for one in found]
        if instance.ended:
            return number
        if marking.most > self._bounds.tokens:
            space.open.add(number)
            space.bound = space.bound or "tokens"
        else:
            self._waiting.append(_Waiting(number, live.copy(), spent))
        return number


def _starts(process: Abstract) -> Iterator[Move]:
    """Yield how an instance can begin."""
    graph = process.graph
    if graph.root.starts:
        yield Move("the process is started", "", (c.StartInstance(definition=_ROOT),))
    for name in graph.extras.get("triggered_starts", ()):
        nodes = [name]
        if graph.nodes[name].tag == "eventBasedGateway":
            nodes = [graph.flows[flow].target for flow in graph.nodes[name].outgoing]
        for node in nodes:
            command = c.StartInstance(definition=_ROOT, node=node)
            yield Move(f"the process is started at {node}", "", (command,))


def _is_script(kind: str, name: str) -> bool:
    """Know a handler for every script; service tasks are worked on from outside, which comes to the same."""
    return kind == "script"


def _still_waits(state: State, name: Id) -> bool:
    row = state.subscriptions.get(name) or state.user_tasks.get(name)
    if row is not None:
        return row.status == "OPEN"
    token = state.tokens.get(name.partition(" ")[0])
    return token is not None and not token.final and calling(token) == name
