"""One batch: the working sets of its instances, and the decisions of its commands.

    find definitions of starts → read rows that commands name → read what they need → decide → document

Reading takes one statement per kind of row named in the batch and one for needs; deciding none, unless a command turns
out to need more of its instance: then that instance is read whole, once, and decided again with the same time and ids.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from operator import itemgetter

from bpm import handlers
from bpm.core import commands as c
from bpm.core.context import Context, Limits
from bpm.core.decide import decide
from bpm.core.errors import EngineError, Refused
from bpm.core.ids import Id, IdSource
from bpm.core.state import Instance, Missing, State
from bpm.shell.clock import or_frozen
from bpm.shell.codec import add_rows, add_state, states_from
from bpm.shell.configuration import engine_zone, setting
from bpm.shell.definitions import graph_of
from bpm.shell.held import Blank, Known, stand_of
from bpm.shell.kept_sets import kept_sets
from bpm.shell.limits import WITHOUT_LIMIT, limits_of_callers
from bpm.shell.needs import add_needs, note_arrivals
from bpm.shell.outcome import Done, Outcome
from bpm.shell.remembering.looking_up import look_up
from bpm.shell.remembering.memory import memory, most_remembered
from bpm.shell.remembering.rehearsal import Lesson
from bpm.shell.remembering.remembered import Occasion, recall
from bpm.shell.requests import Request
from bpm.shell.sql import Dialect, Needs
from bpm.shell.sql.dialect import Rows
from bpm.shell.work import Work
from bpm.shell.working_sets import WorkingSets, lock_sets, read_sets, sets_from

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class Batch:
    """Commands on their way through one transaction.

    Attributes:
        outcomes: one per request, None while open.
        works: instance to its work.
        busy: instance that somebody else has locked to its requests.
        readings: statements that have read working sets; without a lock, what two of them read need not fit together.
    """

    def __init__(self, requests: list[Request], sql: Dialect) -> None:
        self.requests = requests
        self.outcomes: list[Outcome | None] = [None] * len(requests)
        self.works: dict[Id, Work] = {}
        self.busy: dict[Id, list[int]] = {}
        self.now = or_frozen(_LONG_AGO)
        self.readings = 0
        self._sql = sql
        self._limits = limits_of_callers(setting("MAX_ROWS_AT_ONCE"))
        self._seed = secrets.randbits(32)
        self._remembers = sql.remembers and most_remembered() > 0

    # reading

    def read(self, locked: set[Id] | None = None) -> None:
        """Read the working sets of all commands on existing instances.

        Args:
            locked: the instances whose rows are locked; commands on others become `busy`. None: nothing is locked.
        """
        for table, indexes in self._by_table().items():
            self.readings += 1
            self._give(indexes, read_sets(self._sql, table, self._named(indexes), locked))
        self._read_needs()

    def lock_and_read(self, *, skip_locked: bool) -> None:
        """Read as `read`, and lock the instances in the same statement.

        Args:
            skip_locked: commands on instances that somebody else has locked become `busy`, instead of waiting.
        """
        for table, indexes in sorted(self._by_table().items()):
            self._give(indexes, lock_sets(self._sql, table, self._named(indexes), skip_locked=skip_locked))
        self._read_needs()

    def _by_table(self) -> dict[str, list[int]]:
        by_table: dict[str, list[int]] = {}
        for index, request in enumerate(self.requests):
            if not isinstance(request.command, c.StartInstance):
                by_table.setdefault(request.table, []).append(index)
        return by_table

    def _named(self, indexes: list[int]) -> list[Id]:
        return list(dict.fromkeys(row for index in indexes for row in self.requests[index].ids))

    def take(self, now: datetime, rows: Rows) -> None:
        """Take the working sets of leases of external tasks, which were found, locked and read in one."""
        self._give(list(range(len(self.requests))), sets_from("external_tasks", now, rows, None))
        for work in self.works.values():
            if not work.whole:
                work.state.known.update(("variables", scope) for scope in work.state.scopes)

    def _give(self, indexes: list[int], sets: WorkingSets) -> None:
        """Give the commands their working sets, or their refusals."""
        self.now = or_frozen(sets.now)
        owners = sets.owners
        for index in indexes:
            request = self.requests[index]
            owner = next((owners[row] for row in request.ids if row in owners), None)
            known = sets.states.get(owner or "")
            if owner is None or known is None or not _may_see(request, known):
                self.outcomes[index] = request.not_found()
            elif sets.locked is not None and owner not in sets.locked:
                self.busy.setdefault(owner, []).append(index)
            else:
                self._work(owner, known, sets).requests.append((index, request))

    def _work(self, owner: Id, known: Known, sets: WorkingSets) -> Work:
        work = self.works.get(owner)
        if work is None:
            work = self.works[owner] = Work(known, number=len(self.works))
        elif owner in sets.kept:
            work.held = known
        elif isinstance(known, State) and work.held is not known:
            add_state(work.state, known)
        return work

    def _read_needs(self) -> None:
        needs = Needs()
        for work in self.works.values():
            if not work.new and not work.whole:
                graph = graph_of(work.state.instance.definition)
                for _, request in work.requests:
                    add_needs(needs, graph, work.state, request.command)
        if needs:
            self.readings += 1
            states = {instance: work.state for instance, work in self.works.items()}
            add_rows(states, self._sql.read_needs(needs))
            joins: dict[Id, list[list[object]]] = {}
            for join in needs.joins:
                joins.setdefault(join[0], []).append(join)
            for instance, of_instance in joins.items():
                note_arrivals(states[instance], of_instance)

    def adopt(self, known: Known, now: datetime) -> bool:
        """Take a working set that was kept for the only command; return whether it is one that the command may see."""
        (request,) = self.requests
        if not _may_see(request, known):
            return False
        self.now = now
        self.works[stand_of(known).id] = Work(known, [(0, request)])
        return True

    def keep_sets(self) -> None:
        """Keep the working sets, now that what was decided is committed."""
        states, shaped = [], []
        for work in self.works.values():
            if work.recalled is not None:
                if work.recalled.after is not None:
                    shaped.append((work.recalled.after, work.recalled.opened))
                continue
            if work.events:
                work.state.instance.revision += not work.new
            states.append(work.state)
        kept_sets.keep(states, shaped)

    # deciding

    def start(self, index: int, request: Request, now: datetime, known_as: Id | None = None) -> None:
        """Add a new instance for a start whose definition has been found.

        Args:
            known_as: the instance's id, where its caller has made it.
        """
        self.now = now = or_frozen(now)
        number = len(self.works)
        if known_as is None:
            ids = self._ids(number, now, 0)
            made = ids.next()
            self.works[made] = Work(Blank(made, now, ids), [(index, request)], new=True, number=number)
        else:
            state = State(Instance(id=known_as, updated_at=now), everything=True)
            self.works[known_as] = Work(state, [(index, request)], new=True, number=number)

    def decide(self) -> None:
        """Decide all commands, instance by instance, in the order of the requests."""
        lacking = [instance for instance, work in self.works.items() if not self._can_decide(work)]
        if lacking:
            self.readings += 1
            _, rows = self._sql.read_everything(lacking)
            for instance, state in states_from(rows, everything=True).items():
                work = self.works[instance]
                work.held = state
                self._decide(work)

    def _can_decide(self, work: Work) -> bool:
        try:
            self._decide(work)
        except Missing:
            return False
        return True

    def _decide(self, work: Work) -> None:
        now = max(self.now, work.updated_at or self.now)
        # They came by the tables of the rows that they name.
        work.requests.sort(key=itemgetter(0))
        work.events.clear()
        work.sent.clear()
        work.lesson = None
        if self._remembers and len(work.requests) == 1 and self._recall(work, now):
            return
        context = self._context(work, now)
        state = work.state
        for index, request in work.requests:
            command = request.command
            # A command before this one may have migrated the instance.
            present = state.instance.definition
            definition = command.definition if isinstance(command, c.StartInstance) else present
            try:
                decision = decide(graph_of(definition), state, command, context)
            except Refused as refusal:
                self.outcomes[index] = refusal
                continue
            actor = command.actor
            work.events += [(event, actor) for event in decision.events]
            work.sent += decision.outgoing
            self.outcomes[index] = Done.of(state, decision, request.version)
        _refute_unless_written(work)

    def _context(self, work: Work, now: datetime) -> Context:
        ids = self._ids(work.number, now, work.next_id)
        limits = self._limits_of(work)
        return Context(now=now, ids=ids, has_handler=handlers.has_handler, limits=limits, zone=engine_zone())

    def _limits_of(self, work: Work) -> Limits:
        for _, request in work.requests:
            if request.tenant is not None:
                return self._limits
        return WITHOUT_LIMIT

    def _recall(self, work: Work, now: datetime) -> bool:
        """Do what is remembered of the only command of a work; return whether it was known."""
        ((index, request),) = work.requests
        looked = look_up(request.command, work.held, now, self._limits_of(work).interrupted)
        if looked is None:
            return False
        if isinstance(work.held, Blank):
            new, ids = work.held.id, work.held.ids
        else:
            new, ids = "", self._ids(work.number, now, work.next_id)
        occasion = Occasion(looked.before, new, looked.asked, now, ids, request.version)
        known = looked.known
        if known is not None and not memory.doubts(looked.question):
            work.recalled = recall(known, occasion)
            work.held = work.recalled.after or work.held
            self.outcomes[index] = work.recalled.outcome
            return True
        if known is not None or memory.wants(looked.question):
            work.lesson = Lesson(looked.question, request.command, occasion, self._context(work, now), known)
        return False

    def _ids(self, number: int, now: datetime, start: int) -> IdSource:
        return IdSource(now, (self._seed << 10 | number & 0x3FF) ^ number >> 10 << 10, start)

    @property
    def written(self) -> list[Work]:
        """Works that have something to write."""
        return [work for work in self.works.values() if work.events or work.recalled is not None]

    def fail(self, work: Work, error: EngineError) -> None:
        """Give all commands of a work the same error."""
        for index, _ in work.requests:
            self.outcomes[index] = error


def _refute_unless_written(work: Work) -> None:
    """Forget a decision that was known, but is refused or does nothing; where events were written they are compared."""
    lesson = work.lesson
    if lesson is not None and lesson.known is not None and not work.events:
        memory.refute(lesson.question)


def _may_see(request: Request, known: Known) -> bool:
    """Return whether a working set is of the instance, and the tenant, that a request means."""
    stand = stand_of(known)
    return request.instance in (None, stand.id) and request.tenant in (None, stand.tenant)
