"""Deliberate faults in the core, each with the few tests that must notice it."""

from __future__ import annotations

from typing import Final

from tests.mutation.fault import Fault


def _core(name: str, path: str, old: str, new: str, *tests: str) -> Fault:
    return Fault(name, f"bpm/core/{path}.py", old, new, tests)


_JOIN, _GROUPS, _OR = (
    f"semantics/test_{name}.py" for name in ("parallel_join", "join_groups", "inclusive_join")
)
_EXTERNAL, _USER, _TIMERS, _JOBS = (
    f"semantics/test_{name}.py" for name in ("external_tasks", "user_tasks", "timers", "jobs")
)
_MACHINES = "unit/core/test_random_machines.py"
_REFUSES = "unit/core/test_code_refuses.py"

CORE: Final = (
    # joins
    _core(
        "a join counts arrivals instead of flows",
        "joins",
        "first_of_flow = not run.state.waiting_at(join.id, flow)",
        "first_of_flow = True",
        _JOIN,
    ),
    _core(
        "a join takes the newest token",
        "joins",
        "tokens[waiting[0]] for waiting",
        "tokens[waiting[-1]] for waiting",
        _JOIN,
        _GROUPS,
    ),
    _core(
        "a join's next state is the first again",
        "joins",
        "join.generation + 1 if join is not None else 1)",
        "1)",
        _JOIN,
        _GROUPS,
    ),
    _core(
        "a join keeps groups its tokens do not share",
        "joins",
        "if token.groups != groups:",
        "if False:",
        _GROUPS,
        "test_join_oracle",
    ),
    _core(
        "surplus tokens of a join are forgotten",
        "joins",
        "    if surplus:",
        "    if False:",
        _JOIN,
        _MACHINES,
    ),
    _core(
        "a join looks at no group",
        "joins",
        "return token.groups.get(fork, NIL) if fork is not None else NIL",
        "return NIL",
        _JOIN,
        _GROUPS,
    ),
    _core(
        "an inclusive join is held by tokens of other groups",
        "inclusive",
        "if token.join == join.id or join_group(run, node, token) != join.group:",
        "if token.join == join.id:",
        _OR,
    ),
    _core(
        "an inclusive join waits for nobody",
        "inclusive",
        "if reached - filled and (filled_too or not reached & filled):",
        "if False:",
        _OR,
    ),
    # leaving
    _core(
        "the default flow is taken beside true ones",
        "leaving",
        "if node.default is not None and not any_true:",
        "if node.default is not None:",
        "semantics/test_gateways.py",
    ),
    _core(
        "an exclusive gateway takes its default first",
        "elements/exclusive_gateway",
        "if name != node.default and (",
        "if name == node.default or (",
        "semantics/test_gateways.py",
    ),
    _core(
        "the copies of a completion quantity are one too many",
        "leaving",
        "for _ in range(copies):",
        "for _ in range(copies + 1):",
        "semantics/test_quantities.py",
    ),
    # tokens and state
    _core(
        "any transition of a token is allowed",
        "token",
        "if self.final or to not in TRANSITIONS[self.status]:",
        "if False:",
        _REFUSES,
    ),
    _core(
        "a final token may change",
        "evolve/tokens",
        "        if old.final:",
        "        if False:",
        _REFUSES,
    ),
    _core(
        "a token begins in a scope that has ended",
        "evolve/tokens",
        "if change > 0 and row.status is not ScopeStatus.ACTIVE:",
        "if False:",
        _REFUSES,
    ),
    _core(
        "a scope ends around what lives",
        "evolve/scopes",
        "if row.live_tokens or row.live_scopes:",
        "if row.live_tokens:",
        _REFUSES,
    ),
    _core(
        "a join fires again",
        "evolve/joins",
        "if join.status is not JoinStatus.OPEN:",
        "if False:",
        _REFUSES,
    ),
    _core(
        "a parallel join fires without all its flows",
        "joins",
        """if not consumed or (join.kind == "parallel" and len(consumed) != join.expected):""",
        "if not consumed:",
        _REFUSES,
    ),
    _core(
        "an event is dropped",
        "stage",
        "        self.events.append(event)",
        "        self.events.append(event) if len(self.events) != 5 else None",
        _JOIN,
    ),
    _core(
        "a rolled back node leaves the counters changed",
        "state",
        "        self.instance = Instance(*mark.instance)",
        "        pass",
        "semantics",
    ),
    _core(
        "an instance that can go no further is not FAILED",
        "rest",
        "    if instance.stuck:",
        "    if False:",
        "semantics/test_starting_and_ending.py",
        _EXTERNAL,
    ),
    # external tasks
    _core(
        "a lease is not compared",
        "handling/external_tasks",
        "        and (command.lease is None or command.lease == row.lease)\n",
        "",
        _EXTERNAL,
    ),
    _core(
        "an expired lease still holds",
        "handling/external_tasks",
        "        and row.lease_expires_at > run.context.now\n",
        "",
        _EXTERNAL,
    ),
    _core(
        "retries are not counted",
        "handling/external_tasks",
        "max(row.retries - 1, 0) if command.retries is None",
        "row.retries if command.retries is None",
        _EXTERNAL,
    ),
    _core(
        "retries can be raised by the worker",
        "handling/external_tasks",
        "if row.failures and retries > row.retries:",
        "if False:",
        _EXTERNAL,
    ),
    _core(
        "the same call is not known again",
        "handling/external_tasks",
        "return row.outcome == outcome and command.lease in (None, row.lease)",
        "return False",
        _EXTERNAL,
    ),
    # time
    _core(
        "a timer fires before it is due",
        "handling/timers",
        "if timer.due_at > run.context.now and not command.force:",
        "if False:",
        _TIMERS,
    ),
    _core(
        "a timer fires twice",
        "handling/timers",
        "if timer is None or timer.status is not TimerStatus.SCHEDULED:",
        "if timer is None:",
        _TIMERS,
        _MACHINES,
    ),
    _core(
        "a cycle counts from the firing",
        "triggers/timer",
        "previous = due.due_at if catch_up else max(due.due_at, now)",
        "previous = now",
        _TIMERS,
        "unit/core",
    ),
    # jobs, people
    _core(
        "crashes of a handler are not counted",
        "handling/jobs",
        "if row.crashes + 1 >= MAX_CRASHES:",
        "if False:",
        _JOBS,
    ),
    _core(
        "an old attempt may report",
        "handling/jobs",
        "    if row.attempts != attempt:",
        "    if False:",
        _JOBS,
    ),
    _core(
        "everybody may complete a user task",
        "handling/user_tasks",
        "    if not allowed:",
        "    if False:",
        _USER,
    ),
    # scopes, loops
    _core(
        "all instances of a sequential loop begin at once",
        "loops",
        "active = 1 if loop.sequential else count",
        "active = count",
        "semantics/test_compensation_loops.py",
        "unit/core/test_random_compensation.py",
    ),
    _core(
        "a completion condition is not asked",
        "completing",
        "if loop.completion is not None and run.truth(loop.completion, token):",
        "if False:",
        "semantics",
        "unit/core/test_random_compensation.py",
    ),
    _core(
        "what runs inside ends in order of creation",
        "ending",
        "return sorted(found, key=lambda token: token.id, reverse=True)",
        "return sorted(found, key=lambda token: token.id)",
        "semantics",
    ),
    _core(
        "event subprocesses are offered their own errors",
        "faults",
        "if inside is None or inside.kind != EVENT_SUBPROCESS:",
        "if True:",
        "semantics",
        "unit/core",
    ),
    _core(
        "compensation runs in order of completion",
        "compensation/order",
        "earlier = (record.position, record.id) < (other.position, other.id)",
        "earlier = (record.position, record.id) > (other.position, other.id)",
        "semantics/test_compensation_order.py",
    ),
    _core(
        "compensation begins in order of completion",
        "compensation/records",
        "key=lambda row: (row.position, row.id), reverse=True)",
        "key=lambda row: (row.position, row.id))",
        "semantics/test_compensation_order.py",
        "semantics/test_compensation_loops.py",
    ),
    _core(
        "conditions are asked whatever has changed",
        "conditions",
        "concerned = row.id in opened or _concerned(run, row, condition, changed)",
        "concerned = True",
        "semantics",
        "unit/core",
    ),
    _core(
        "a suspended instance still moves",
        "rest",
        "    if run.state.instance.status is InstanceStatus.SUSPENDED:\n        return\n",
        "",
        "semantics/test_suspension.py",
        "unit/core/test_random_operations.py",
    ),
)
