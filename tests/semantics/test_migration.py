"""Migrating instances to another version (semantics §12)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from bpm.core import operations as o
from bpm.core.errors import Conflict, InstanceEnded, PlanInvalid
from bpm.core.ids import NIL
from bpm.core.migration.plan import generate, plan_problems
from tests.support.bpmn_text import bpmn, flows, one_task, subprocess
from tests.support.play import Case, Play

LINE = "start s -> a\n user a -> b\n user b -> e\n end e"
FORKED = """
    start s -> f
    par f -> a, b
    user a -> j
    user b -> j
    par j -> c
    user c -> e
    end e
"""


def _command(play: Play, mapped: dict[str, str] | None, *, update: bool = False) -> o.MigrateInstance:
    (source_id, source), (target_id, target) = (play.host.definition("p", version) for version in (1, 2))
    plan = generate(source, target) | (mapped or {})
    return o.MigrateInstance(
        source=source_id, definition=target_id, target=target, mapped=plan, update_events=update
    )


def _migrate(play: Play, case: Case, mapped: dict[str, str] | None = None, *, update: bool = False) -> None:
    case.do(_command(play, mapped, update=update))


def _rules(play: Play, case: Case, mapped: dict[str, str] | None = None) -> set[tuple[str, str]]:
    """Return element and rule of each problem of a migration that is refused, nothing having changed."""
    length = len(case.events)
    with pytest.raises(PlanInvalid) as refused:
        _migrate(play, case, mapped)
    assert len(case.events) == length
    return {(problem.element, problem.rule) for problem in refused.value.problems}


def _open(case: Case) -> list[str]:
    return [task.node for task in case.tasks()]


def _user(name: str, *inside: str) -> str:
    return f'<userTask id="{name}">{"".join(inside)}</userTask>'


# tokens and tasks


def test_an_instance_goes_on_in_the_other_version(play: Play) -> None:
    play.deploy(LINE)
    play.deploy("start s -> a\n user a -> new\n user new -> e\n end e")
    case = Case(play.host, play.host.start("p", {"x": 1}, version=1))
    task = case.tasks()[0].id
    _migrate(play, case)
    assert (_open(case), case.tasks()[0].id, case.variables()) == (["a"], task, {"x": 1})
    (event,) = case.of(e.InstanceMigrated)
    assert (event.nodes, event.flows) == ({}, {})
    case.complete("a")
    assert _open(case) == ["new"]


def test_what_goes_on_takes_over_the_new_name(play: Play) -> None:
    play.deploy(LINE)
    play.deploy("start s -> renamed\n user renamed -> b\n user b -> e\n end e")
    case = Case(play.host, play.host.start("p", version=1))
    _migrate(play, case, {"a": "renamed"})
    assert (_open(case), case.at()) == (["renamed"], ["renamed"])
    case.complete("renamed")
    assert _open(case) == ["b"]


def test_every_place_without_a_counterpart_is_named(play: Play) -> None:
    play.deploy(FORKED)
    play.deploy("start s -> c\n user c -> e\n end e")
    case = Case(play.host, play.host.start("p", version=1))
    assert _rules(play, case) == {("a", "token-not-mapped"), ("b", "token-not-mapped")}


def test_everything_wrong_with_a_plan_is_named(play: Play) -> None:
    play.deploy(FORKED)
    play.deploy("start s -> f\n xor f -> a [true], b [else]\n user a -> e\n external b -> e\n end e")
    case = Case(play.host, play.host.start("p", version=1))
    plan = {"a": "nowhere", "nothing": "a", "b": "b", "c": "a", "s": "a", "f": "f"}
    assert _rules(play, case, plan) == {
        ("a", "target-node"),
        ("nothing", "source-node"),
        ("nothing", "mapped-twice"),
        ("b", "type-differs"),
        ("c", "mapped-twice"),
        ("s", "type-differs"),
        ("s", "mapped-twice"),
        ("f", "type-differs"),
    }


def test_only_instances_of_the_source_version_are_migrated(play: Play) -> None:
    play.deploy(LINE)
    play.deploy(LINE)
    case = play.start()
    with pytest.raises(Conflict):
        _migrate(play, case)
    case.do(c.CancelInstance())
    with pytest.raises(InstanceEnded):
        _migrate(play, case)


def test_failed_tokens_jobs_and_external_tasks_go_along(play: Play) -> None:
    text = "start s -> f\n par f -> x, w, l\n xor x -> e [missing > 1]\n external w -> e\n user l before -> e\n end e"
    play.deploy(text)
    play.deploy(
        text.replace("missing", "present").replace("external w", "external v").replace("x, w", "x, v")
    )
    case = Case(play.host, play.host.start("p", {"present": 2}, version=1))
    _migrate(play, case, {"w": "v"})
    assert [row.node for row in case.incidents()] == ["x"]
    case.retry("x")
    case.work("v")
    play.run_due()
    assert _open(case) == ["l"]
    case.complete("l")
    assert case.status == "COMPLETED"


# joins


def test_a_join_keeps_its_ledger_and_fires_once(play: Play) -> None:
    play.deploy(FORKED)
    play.deploy(FORKED.replace(" a", " a2"))
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("b")
    join = case.joins("j")[0]
    _migrate(play, case, {"a": "a2"})
    assert (case.joins("j")[0].id, case.joins("j")[0].group, case.joins("j")[0].arrived) == (
        join.id,
        join.group,
        1,
    )
    case.complete("a2")
    assert (_open(case), len(case.of(e.JoinFired))) == (["c"], 1)


def test_a_waiting_join_with_other_names_counts_on(play: Play) -> None:
    play.deploy(FORKED)
    renamed = (
        FORKED.replace("par j", "par k")
        .replace("-> j", "-> k")
        .replace("par f", "par g")
        .replace("-> f", "-> g")
    )
    play.deploy(renamed)
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("b")
    _migrate(play, case, {"f": "g", "j": "k"})
    assert case.joins("k")[0].group != NIL
    case.complete("a")
    assert (_open(case), len(case.of(e.JoinFired))) == (["c"], 1)
    assert {flow for token in case.live() for flow in token.groups} == {"g"}


def test_a_join_that_wants_fewer_flows_fires(play: Play) -> None:
    play.deploy(
        "start s -> f\n par f -> a, b, d\n user a -> j\n user b -> j\n user d -> j\n par j -> c\n user c -> e\n end e"
    )
    play.deploy(
        "start s -> f\n par f -> a, b, d\n user a -> j\n user b -> j\n user d -> e\n par j -> c\n user c -> e\n end e"
    )
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("a")
    case.complete("b")
    _migrate(play, case)
    assert _open(case) == ["d", "c"]


def test_a_flow_on_which_a_token_waits_needs_a_counterpart(play: Play) -> None:
    play.deploy(FORKED)
    play.deploy(FORKED.replace("user b -> j", "user b -> m\n xor m -> j"))
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("b")
    assert _rules(play, case) == {("j", "flow-not-mapped")}


def test_without_its_fork_a_join_waits_for_no_group(play: Play) -> None:
    play.deploy(FORKED)
    play.deploy(FORKED.replace("par f", "or g").replace("-> f", "-> g"))
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("b")
    _migrate(play, case)
    assert case.joins("j")[0].group == NIL
    assert [event.forks_lost for event in case.of(e.InstanceMigrated)] == [("f",)]
    case.complete("a")
    assert _open(case) == ["c"]


# scopes


def _sub(*inside: str) -> bytes:
    nodes = '<startEvent id="s"/><userTask id="last"/>'
    return bpmn(nodes, subprocess("sub", one_task("deep"), *inside), flows("s sub", "sub last"))


def test_the_inside_of_a_subprocess_goes_along_with_it(play: Play) -> None:
    play.host.deploy(_sub())
    play.host.deploy(
        _sub().replace(b'"sub"', b'"box"').replace(b"s_sub", b"s_box").replace(b"sub_last", b"box_last")
    )
    case = Case(play.host, play.host.start("p", version=1))
    assert ("sub", "scope-not-mapped") in _rules(play, case)
    _migrate(play, case, {name: name for name in ("deep", "deep_start", "deep_end")} | {"sub": "box"})
    case.complete("deep")
    assert _open(case) == ["last"]


def test_a_place_in_another_scope_is_no_counterpart(play: Play) -> None:
    play.host.deploy(_sub())
    play.host.deploy(
        bpmn(
            '<startEvent id="s"/><userTask id="last"/>',
            subprocess("sub", one_task("other")),
            _user("deep"),
            flows("s sub", "sub deep", "deep last"),
        )
    )
    case = Case(play.host, play.host.start("p", version=1))
    assert _rules(play, case, {"deep": "deep"}) == {("deep", "scope-differs")}


# what is waited for


def _timed(duration: str | None, *, name: str = "late") -> bytes:
    boundary = (
        f'<boundaryEvent id="{name}" attachedToRef="a"><timerEventDefinition><timeDuration>{duration}</timeDuration>'
        f'</timerEventDefinition></boundaryEvent><userTask id="tooLate"/>{flows(f"{name} tooLate")}'
    )
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/>'
    return bpmn(nodes, boundary if duration else "", flows("s a", "a e"))


def test_a_timer_is_kept_with_its_due_time(play: Play) -> None:
    play.host.deploy(_timed("PT1H"))
    play.host.deploy(_timed("PT5M", name="later"))
    case = Case(play.host, play.host.start("p", version=1))
    due = case.timer("late").due_at
    _migrate(play, case, {"late": "later", "tooLate": "tooLate"})
    assert case.timer("later").due_at == due
    play.pass_time("PT1H")
    assert _open(case) == ["tooLate"]


def test_a_timer_is_armed_anew_where_the_plan_says_so(play: Play) -> None:
    play.host.deploy(_timed("PT1H"))
    play.host.deploy(_timed("PT5M"))
    case = Case(play.host, play.host.start("p", version=1))
    _migrate(play, case, update=True)
    play.pass_time("PT6M")
    assert _open(case) == ["tooLate"]


def test_what_is_not_mapped_is_waited_for_no_more(play: Play) -> None:
    play.host.deploy(_timed("PT1H"))
    play.host.deploy(_timed(None))
    case = Case(play.host, play.host.start("p", version=1))
    _migrate(play, case)
    assert [event.reason for event in case.of(e.TimerCancelled)] == ["migration"]
    case.complete("a")
    assert case.status == "COMPLETED"


def test_a_boundary_event_that_only_the_new_version_has_is_armed(play: Play) -> None:
    play.host.deploy(_timed(None))
    play.host.deploy(_timed("PT5M"))
    case = Case(play.host, play.host.start("p", version=1))
    task = case.tasks()[0].id
    _migrate(play, case)
    assert (case.at(), case.tasks()[0].id) == (["a", "a"], task)
    play.pass_time("PT6M")
    assert _open(case) == ["tooLate"]


def test_a_subprocess_that_gets_a_boundary_event_goes_on_inside(play: Play) -> None:
    play.host.deploy(_sub())
    boundary = (
        '<boundaryEvent id="late" attachedToRef="sub"><timerEventDefinition><timeDuration>PT5M</timeDuration>'
        '</timerEventDefinition></boundaryEvent><userTask id="tooLate"/>' + flows("late tooLate")
    )
    play.host.deploy(_sub().replace(b"</process>", boundary.encode() + b"</process>"))
    finished, late = (Case(play.host, play.host.start("p", version=1)) for _ in range(2))
    for case in (finished, late):
        _migrate(play, case)
    finished.complete("deep")
    assert (_open(finished), len(finished.live())) == (["last"], 1)
    play.pass_time("PT6M")
    assert _open(late) == ["tooLate"]


def test_migrating_a_suspended_instance_fires_nothing_before_it_is_activated(play: Play) -> None:
    play.host.deploy(_timed(None))
    play.host.deploy(_timed("PT5S"))
    case = Case(play.host, play.host.start("p", version=1))
    case.do(o.SuspendInstance())
    _migrate(play, case)
    assert (case.status, {token.status for token in case.live()}) == ("SUSPENDED", {"Suspended"})
    play.pass_time("PT1H")
    assert case.of(e.TimerFired) == []
    case.do(o.ActivateInstance())
    play.run_due()
    assert (len(case.of(e.TimerFired)), _open(case)) == (1, ["tooLate"])


def test_a_join_that_is_full_after_a_migration_while_suspended_fires_on_activation(play: Play) -> None:
    play.deploy(
        "start s -> f\n par f -> a, b, d\n user a -> j\n user b -> j\n user d -> j\n par j -> c\n user c -> e\n end e"
    )
    play.deploy(
        "start s -> f\n par f -> a, b, d\n user a -> j\n user b -> j\n user d -> e\n par j -> c\n user c -> e\n end e"
    )
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("a")
    case.complete("b")
    case.do(o.SuspendInstance())
    _migrate(play, case)
    assert case.of(e.JoinFired) == []
    case.do(o.ActivateInstance())
    assert _open(case) == ["d", "c"]


MESSAGE = '<message id="m" name="m"/>'


def test_a_failed_activity_with_a_boundary_event_is_subscribed_once(play: Play) -> None:
    body = (
        '<startEvent id="s"/><serviceTask id="w" camunda:type="external" camunda:topic="w"/><endEvent id="e"/>'
        '<boundaryEvent id="b" attachedToRef="w"><messageEventDefinition messageRef="m"/></boundaryEvent>'
        '<endEvent id="be"/>'
    )
    for _ in range(2):
        play.host.deploy(bpmn(body, flows("s w", "w e", "b be"), roots=MESSAGE))
    case = Case(play.host, play.host.start("p", version=1))
    task = case.external("w").id
    case.do(c.LockExternalTasks(tasks=(task,), worker="w", lock_ms=1_000))
    case.do(c.FailExternalTask(task=task, worker="w", retries=0))
    _migrate(play, case)
    case.retry("w")
    assert [row.name for row in case.state.subscriptions.values() if row.status == "OPEN"] == ["m"]
    case.work("w")
    assert case.status == "COMPLETED"


def test_event_subprocesses_of_the_new_version_are_armed_and_old_ones_are_not(play: Play) -> None:
    def handler(name: str) -> str:
        event = f'<messageEventDefinition messageRef="{name}"/>'
        start = f'<startEvent id="{name}S" isInterrupting="false">{event}</startEvent>'
        return (
            f'<subProcess id="{name}H" triggeredByEvent="true">{start}<userTask id="{name}T"/>'
            + flows(f"{name}S {name}T")
            + "</subProcess>"
        )

    roots = '<message id="old" name="old"/><message id="both" name="both"/><message id="new" name="new"/>'
    nodes = '<startEvent id="s"/><userTask id="a"/><endEvent id="e"/>' + flows("s a", "a e")
    play.host.deploy(bpmn(nodes, handler("old"), handler("both"), roots=roots))
    play.host.deploy(bpmn(nodes, handler("both"), handler("new"), roots=roots))
    case = Case(play.host, play.host.start("p", version=1))
    kept = next(row.id for row in case.state.subscriptions.values() if row.name == "both")
    _migrate(play, case)
    waiting = {row.name: row.id for row in case.state.subscriptions.values() if row.status == "OPEN"}
    assert (sorted(waiting), waiting["both"]) == (["both", "new"], kept)


def test_an_event_based_gateway_waits_for_what_stands_behind_it_now(play: Play) -> None:
    def waiting(*names: str) -> bytes:
        events = "".join(
            f'<intermediateCatchEvent id="{name}"><messageEventDefinition messageRef="m-{name}"/>'
            f'</intermediateCatchEvent><userTask id="{name}T"/>{flows(f"g {name}", f"{name} {name}T")}'
            for name in names
        )
        roots = "".join(f'<message id="m-{name}" name="{name}"/>' for name in ("x", "y", "z"))
        return bpmn('<startEvent id="s"/><eventBasedGateway id="g"/>', events, flows("s g"), roots=roots)

    play.host.deploy(waiting("x", "y"))
    play.host.deploy(waiting("y", "z"))
    case = Case(play.host, play.host.start("p", version=1))
    _migrate(play, case)
    rows = {row.name: row for row in case.state.subscriptions.values() if row.status == "OPEN"}
    assert sorted(rows) == ["y", "z"]
    case.do(c.TriggerMessage(subscription=rows["z"].id))
    assert _open(case) == ["zT"]


def test_a_catching_event_waits_anew_where_the_plan_says_so(play: Play) -> None:
    play.deploy("start s -> t\n timer t duration=PT1H -> e\n end e")
    play.deploy("start s -> t\n timer t duration=PT5M -> e\n end e")
    kept, anew = (Case(play.host, play.host.start("p", version=1)) for _ in range(2))
    _migrate(play, kept)
    _migrate(play, anew, update=True)
    play.pass_time("PT6M")
    assert (kept.status, anew.status) == ("RUNNING", "COMPLETED")


# plans


def test_a_plan_is_generated_for_equal_ids_of_the_same_kind_and_place(play: Play) -> None:
    play.host.deploy(_sub())
    play.deploy("start s -> deep\n user deep -> last\n external last -> e\n end e")
    (_, source), (_, target) = play.host.definition("p", 1), play.host.definition("p", 2)
    assert generate(source, target) == {"s": "s"}
    assert plan_problems(source, target, generate(source, target)) == []
    assert set(generate(source, source)) == set(source.nodes)


def test_multi_instance_bodies_go_along(play: Play) -> None:
    def loop(name: str) -> bytes:
        inside = "<loopCardinality>2</loopCardinality>"
        inside = f"<multiInstanceLoopCharacteristics>{inside}</multiInstanceLoopCharacteristics>"
        nodes = f'<startEvent id="s"/>{_user(name, inside)}<userTask id="last"/>'
        return bpmn(nodes, flows(f"s {name}", f"{name} last"))

    play.host.deploy(loop("m"))
    play.host.deploy(loop("n"))
    case = Case(play.host, play.host.start("p", version=1))
    case.complete("m")
    _migrate(play, case, {"m": "n"})
    case.complete("n")
    assert _open(case) == ["last"]
