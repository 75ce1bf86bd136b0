"""Compensation: records of completed activities, handlers in order, scopes re-opened with what they knew (semantics §8)."""

from __future__ import annotations

import pytest

from bpm.core import commands as c
from bpm.core import events as e
from tests.support.play import Case, Play

LINE = """
    start s -> a
    user a undo=ua -> b
    user b undo=ub -> d
    user d undo=ud -> t
    user ua
    user ub
    user ud
    throw t compensate -> after
    user after -> x
    end x
"""


def complete(case: Case, *nodes: str) -> None:
    """Complete the oldest task of each node, one after the other."""
    for node in nodes:
        case.complete(node)


def seen_by(case: Case, node: str, name: str) -> object:
    """Return a variable as the token at a node sees it."""
    state, scope = case.state, case.token(node).scope
    for row in state.chain(scope):
        found = state.variables.get((row.id, name))
        if found is not None:
            return found.value
    return None


def compensated(case: Case) -> list[str]:
    """Return the activities that have been compensated, in order."""
    return [event.node for event in case.of(e.CompensationCompleted)]


# order


def test_handlers_run_one_after_the_other_in_reverse_order(play: Play) -> None:
    case = play.grow(LINE)
    complete(case, "a", "b", "d")
    for handler in ("ud", "ub", "ua"):
        assert case.at() == sorted([handler, "t"])
        assert case.token("t").wait == "compensation"
        assert case.token(handler).mode == "compensation"
        case.complete(handler)
    assert case.at() == ["after"]
    case.complete("after")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["d", "b", "a"]


BRANCHES = """
    start s -> f
    par f -> a, b
    user a undo=ua -> j
    user b undo=ub -> j
    user ua
    user ub
    par j -> d
    user d undo=ud -> t
    user ud
    throw t compensate -> x
    end x
"""


def test_concurrent_activities_are_compensated_side_by_side_after_what_followed_them(play: Play) -> None:
    case = play.grow(BRANCHES)
    complete(case, "b", "a", "d")
    assert case.at() == ["t", "ud"]
    case.complete("ud")
    assert [token.node for token in case.live() if token.mode == "compensation"] == ["ua", "ub"]
    complete(case, "ub", "ua")
    assert case.status == "COMPLETED"


def test_on_a_cycle_the_later_turn_is_compensated_first(play: Play) -> None:
    case = play.grow("""
        start s -> a
        user a undo=ua -> g
        user ua
        xor g -> a [again], t [else]
        throw t compensate -> x
        end x
    """)
    case.complete("a", again=True)
    case.complete("a", again=True)
    case.complete("a", again=False)
    undone = []
    for _ in range(3):
        (task,) = case.tasks("ua")
        undone.append(task.id)
        case.finish(task)
    assert undone == sorted(undone)
    assert case.status == "COMPLETED"
    positions = {row.id: row.position for row in case.state.compensations.values()}
    order = [positions[event.record] for event in case.of(e.CompensationCompleted)]
    assert order == sorted(order, reverse=True)


def test_what_a_boundary_event_led_to_is_compensated_before_its_activity(play: Play) -> None:
    case = play.grow("""
        start s -> a
        user a undo=ua -> j
        user ua
        boundary l at=a keep message=late -> b
        user b undo=ub -> j
        user ub
        par j -> t
        throw t compensate -> x
        end x
    """)
    trigger(case, "l")
    complete(case, "b", "a")
    assert case.at() == ["t", "ub"]
    complete(case, "ub", "ua")
    assert case.status == "COMPLETED"


def trigger(case: Case, node: str) -> None:
    """Let the message come for which a node waits."""
    (row,) = [row for row in case.state.subscriptions.values() if row.node == node and row.status == "OPEN"]
    case.do(c.TriggerMessage(subscription=row.id))


def test_a_link_is_part_of_a_path(play: Play) -> None:
    case = play.host
    del case
    play.host.deploy(LINKED)
    started = play.start()
    complete(started, "a", "b")
    assert started.at() == ["t", "ub"]
    complete(started, "ub", "ua")
    assert started.status == "COMPLETED"


LINKED = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="urn:test">
<process id="p" isExecutable="true">
<startEvent id="s"/><sequenceFlow id="f1" sourceRef="s" targetRef="a"/>
<userTask id="a"/><sequenceFlow id="f2" sourceRef="a" targetRef="l1"/>
<intermediateThrowEvent id="l1"><linkEventDefinition name="n"/></intermediateThrowEvent>
<intermediateCatchEvent id="l2"><linkEventDefinition name="n"/></intermediateCatchEvent>
<sequenceFlow id="f3" sourceRef="l2" targetRef="b"/>
<userTask id="b"/><sequenceFlow id="f4" sourceRef="b" targetRef="t"/>
<intermediateThrowEvent id="t"><compensateEventDefinition/></intermediateThrowEvent>
<boundaryEvent id="ab" attachedToRef="a"><compensateEventDefinition/></boundaryEvent>
<boundaryEvent id="bb" attachedToRef="b"><compensateEventDefinition/></boundaryEvent>
<userTask id="ua" isForCompensation="true"/><userTask id="ub" isForCompensation="true"/>
<association id="as1" sourceRef="ab" targetRef="ua"/><association id="as2" sourceRef="ub" targetRef="bb"/>
</process></definitions>"""


def test_a_sequential_ad_hoc_subprocess_is_compensated_in_reverse_order(play: Play) -> None:
    case = play.grow("""
        start s -> q
        adhoc q ordering=Sequential -> t
          user a undo=ua
          user b undo=ub
          user ua
          user ub
        throw t compensate -> x
        end x
    """)
    complete(case, "a", "b", "ub", "ua")
    assert case.status == "COMPLETED"


# what is reached


def test_a_throw_may_name_one_activity(play: Play) -> None:
    case = play.grow(LINE.replace("compensate ->", "compensate=b ->"))
    complete(case, "a", "b", "d")
    assert case.at() == ["t", "ub"]
    complete(case, "ub", "after")
    assert compensated(case) == ["b"]


def test_only_completed_activities_are_compensated_and_each_once(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, b, open
        user open undo=uo -> x1
        user uo
        end x1
        user a undo=ua -> t1
        user ua
        throw t1 compensate -> t2
        throw t2 compensate -> x2
        end x2
        user b undo=ub -> x3
        user ub
        end x3
    """)
    complete(case, "b", "a")
    assert case.at() == ["open", "t1", "ua", "ub"]
    complete(case, "ub", "ua")
    assert case.at() == ["open"]
    case.complete("open")
    assert case.status == "COMPLETED"


def test_a_throw_with_nothing_to_compensate_passes(play: Play) -> None:
    case = play.grow("""
        start s -> t
        throw t compensate -> a
        user a undo=ua -> x
        user ua
        end x
    """)
    assert case.at() == ["a"]


def test_an_end_event_waits_too_and_keeps_its_scope_open(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q -> after
          start qs -> a
          task a undo=ua -> x
          user ua
          end x compensate
        user after
    """)
    assert case.at() == ["q", "ua", "x"]
    case.complete("ua")
    assert case.at() == ["after"]


def test_a_throw_that_does_not_wait_goes_on_at_once_but_its_scope_stays_open(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q -> after
          start qs -> a
          task a undo=ua -> t
          user ua
          throw t compensate nowait -> x
          end x
        user after
    """)
    assert case.at() == ["q", "ua"]
    case.complete("ua")
    assert case.at() == ["after"]


def test_a_throw_that_waits_does_not_wait_for_what_an_earlier_one_left_to_itself(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> b
        task b undo=ub -> t1
        user ua
        user ub
        throw t1 compensate=a nowait -> t2
        throw t2 compensate=b -> after
        user after
    """)
    case.complete("ub")
    assert case.at() == ["after", "ua"]


def test_a_throw_in_an_event_subprocess_reaches_the_scope_around_it(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> b
        user b -> x
        end x error=E
        user ua
        handler h
          start hs error=E -> own
          task own undo=uo -> t
          user uo
          throw t compensate -> he
          end he
    """)
    case.complete("b")
    assert case.at() == ["t", "ua", "uo"]
    complete(case, "ua", "uo")
    assert case.status == "COMPLETED"


def test_other_definitions_of_the_event_are_thrown_before_the_token_waits(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> w, a
        catch w signal=gone -> heard
        user heard
        task a undo=ua -> t
        user ua
        throw t compensate signal=gone -> x
        end x
    """)
    assert case.at() == ["heard", "t", "ua"]


# completed subprocesses


NESTED = """
    start s -> outer
    sub outer -> change
      start os -> middle
      sub middle -> ox
        start ms -> book
        task book undo=cancel -> mx
        user cancel
        end mx
      end ox
    user change -> t
    throw t compensate -> x
    end x
"""


def test_a_throw_reaches_what_lies_two_completed_scopes_deeper(play: Play) -> None:
    case = play.grow(NESTED)
    case.complete("change")
    assert case.at() == ["cancel", "t"]
    reopened = [row for row in case.state.scopes.values() if row.kind == "compensation" and row.status == "ACTIVE"]
    assert [row.node for row in sorted(reopened, key=lambda row: row.id)] == ["outer", "middle"]
    case.complete("cancel")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["book", "middle", "outer"]


def test_a_scope_is_reopened_with_the_variables_it_had_and_sees_the_present_ones_around_it(play: Play) -> None:
    case = play.grow(
        """
        start s -> q
        sub q in_place="${where}" -> change
          start qs -> book
          user book undo=cancel -> qx
          user cancel
          end qx
        user change -> t
        throw t compensate=q -> x
        end x
        """,
        where="Rome",
        price=1,
    )
    case.complete("book")
    case.complete("change", where="Oslo", price=2)
    assert seen_by(case, "cancel", "place") == '"Rome"'
    assert seen_by(case, "cancel", "where") == '"Oslo"'
    case.complete("cancel", place="Bonn", price=3)
    assert case.status == "COMPLETED"
    assert case.variables() == {"where": "Oslo", "price": 3}


def test_a_task_is_compensated_with_the_variables_that_were_its_own(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        user a in_n="${n}" undo=ua -> t
        user ua
        throw t compensate -> x
        end x
        """,
        n=1,
    )
    case.complete("a")
    case.set(n=2)
    assert seen_by(case, "ua", "n") == "1"


WHITE_BOX = """
    start s -> q
    sub q in_kept="${{1}}" -> change
      start qs -> a
      task a undo=ua -> b
      task b undo=ub -> qx
      user ua
      user ub
      end qx
      handler h
        start hs compensate -> look
        user look -> {then}
        end hx
    user change -> t
    throw t compensate -> x
    end x
"""


def test_a_compensation_event_subprocess_runs_instead_of_what_is_inside(play: Play) -> None:
    case = play.grow(WHITE_BOX.format(then="hx"))
    case.complete("change")
    assert case.at() == ["look", "t"]
    assert case.token("look").mode == "compensation"
    assert seen_by(case, "look", "kept") == "1"
    case.complete("look")
    assert case.status == "COMPLETED"
    assert compensated(case) == ["q", "q"]
    assert {event.node for event in case.of(e.CompensationDiscarded)} == {"a", "b"}


def test_a_compensation_event_subprocess_may_compensate_what_is_inside(play: Play) -> None:
    case = play.grow(WHITE_BOX.format(then="ht\n        throw ht compensate -> hx"))
    complete(case, "change", "look")
    assert case.at() == ["ht", "t", "ub"]
    complete(case, "ub", "ua")
    assert case.status == "COMPLETED"


def test_a_handler_at_the_boundary_stands_for_all_that_is_inside(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q undo=uq -> t
          start qs -> a
          task a undo=ua -> qx
          user ua
          end qx
        user uq
        throw t compensate -> x
        end x
    """)
    assert case.at() == ["t", "uq"]
    case.complete("uq")
    assert case.status == "COMPLETED"


# loops


def test_each_instance_of_a_multi_instance_is_compensated_with_its_item(play: Play) -> None:
    case = play.grow(MANY.format(how=""), items=["x", "y", "z"])
    for _ in range(3):
        case.complete("a")
    tasks = case.tasks("ua")
    assert [item_of(case, task.token) for task in tasks] == ['"z"', '"y"', '"x"']
    for task in tasks:
        case.finish(task)
    assert case.status == "COMPLETED"


MANY = """
    start s -> a
    user a items="${{items}}" {how} undo=ua -> t
    user ua
    throw t compensate=a -> x
    end x
"""


def item_of(case: Case, token: str) -> str:
    """Return the item that a token sees."""
    state = case.state
    rows = (state.variables.get((row.id, "item")) for row in state.chain(state.tokens[token].scope))
    return next(row.value for row in rows if row is not None)


def test_instances_of_a_sequential_multi_instance_are_compensated_one_after_the_other(play: Play) -> None:
    case = play.grow(MANY.format(how="seq"), items=["x", "y"])
    complete(case, "a", "a")
    (last,) = case.tasks("ua")
    assert item_of(case, last.token) == '"y"'
    case.finish(last)
    (first,) = case.tasks("ua")
    assert item_of(case, first.token) == '"x"'
    case.finish(first)
    assert case.status == "COMPLETED"


def test_turns_of_a_loop_are_compensated_one_after_the_other(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        user a loop="${more}" undo=ua -> t
        user ua
        throw t compensate -> x
        end x
        """
    )
    case.complete("a", more=True)
    case.complete("a", more=False)
    for _ in range(2):
        (task,) = case.tasks("ua")
        case.finish(task)
    assert case.status == "COMPLETED"


def test_what_a_completion_condition_cut_short_is_compensated_as_far_as_it_was_completed(play: Play) -> None:
    case = play.grow(MANY.format(how='done="${nrOfCompletedInstances == 2}"'), items=["x", "y", "z"])
    complete(case, "a", "a")
    assert len(case.tasks("ua")) == 2


@pytest.mark.parametrize("how", ["", "seq"])
def test_an_interrupted_multi_instance_leaves_nothing_to_compensate(play: Play, how: str) -> None:
    case = play.grow(
        MANY.format(how=how) + "    boundary stop at=a message=stop -> t2\n    throw t2 compensate -> x2\n    end x2\n",
        items=["x", "y"],
    )
    case.complete("a")
    trigger(case, "stop")
    assert case.status == "COMPLETED"
    assert compensated(case) == []
    assert len(case.of(e.CompensationDiscarded)) == 1


def test_a_multi_instance_without_instances_leaves_nothing_to_compensate(play: Play) -> None:
    case = play.grow(MANY.format(how=""), items=[])
    assert case.status == "COMPLETED"


def test_instances_that_throw_compensation_compensate_their_own(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q mi=3 -> x
          start qs -> a
          task a undo=ua -> t
          user ua
          throw t compensate -> b
          user b -> qx
          end qx
        end x
    """)
    first, second, third = case.tasks("ua")
    case.finish(second)
    assert case.at().count("b") == 1
    assert case.at().count("t") == 2
    case.complete("b")
    complete(case, "ua", "ua", "b", "b")
    assert case.status == "COMPLETED"


def test_a_multi_instance_subprocess_is_compensated_instance_by_instance(play: Play) -> None:
    case = play.grow(
        """
        start s -> q
        sub q items="${items}" -> t
          start qs -> a
          script a script="${execution.setVariableLocal('seat', item)}" undo=ua -> qx
          user ua
          end qx
        throw t compensate -> x
        end x
        """,
        items=[7, 8],
    )
    tasks = case.tasks("ua")
    assert [item_of(case, task.token) for task in tasks] == ["8", "7"]
    reopened = [row.node for row in case.state.scopes.values() if row.kind == "compensation"]
    assert reopened == ["q", "q", "q"]
    for task in tasks:
        case.finish(task)
    assert case.status == "COMPLETED"


# ends and failures


def test_what_an_interrupted_scope_had_done_is_never_compensated(play: Play) -> None:
    case = play.grow("""
        start s -> q
        sub q -> x
          start qs -> a
          task a undo=ua -> b
          user ua
          user b -> qx
          end qx
        boundary stop at=q error=E -> t
        throw t compensate -> x
        end x
    """.replace("end qx", "end qx error=E"))
    case.complete("b")
    assert case.status == "COMPLETED"
    assert compensated(case) == []
    assert [row.status for row in case.state.compensations.values()] == ["DISCARDED"]


def test_cancelling_the_instance_ends_what_compensates(play: Play) -> None:
    case = play.grow(NESTED)
    case.complete("change")
    case.do(c.CancelInstance(reason="enough"))
    assert case.status == "CANCELLED"
    assert {row.status for row in case.state.compensations.values()} == {"DISCARDED"}


def test_terminating_a_scope_ends_what_compensates_in_it(play: Play) -> None:
    case = play.grow("""
        start s -> f
        par f -> a, w
        task a undo=ua -> b
        task b undo=ub -> t
        user ua
        user ub
        throw t compensate -> x1
        end x1
        user w -> x2
        end x2 terminate
    """)
    assert case.at() == ["t", "ub", "w"]
    case.complete("w")
    assert case.status == "COMPLETED"
    assert compensated(case) == []


FAILING = """
    start s -> f
    par f -> a, b
    task a undo=ua -> j
    task b undo=ub -> j
    external ua
    user ub
    par j -> d
    task d undo=ud -> t
    user ud
    throw t compensate -> after
    user after
"""


def test_a_failed_handler_is_an_incident_and_the_others_stand(play: Play) -> None:
    case = play.grow(FAILING)
    case.complete("ud")
    give_up(case, "ua")
    assert case.status == "RUNNING"
    case.complete("ub")
    assert case.status == "FAILED"
    assert case.at() == ["t", "ua"]
    assert [incident.node for incident in case.incidents()] == ["ua"]
    case.retry("ua")
    case.work("ua")
    assert case.at() == ["after"]
    assert case.incidents() == []


def give_up(case: Case, node: str) -> None:
    """Let a worker fail a task for good."""
    task = case.external(node)
    case.do(c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=1_000))
    case.do(c.FailExternalTask(task=task.id, worker="w", error="no", retries=0))


def test_a_handler_may_catch_its_own_error_and_is_done_when_that_path_ends(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> t
        external ua
        boundary late at=ua error=LATE -> by_hand
        user by_hand -> bx
        end bx
        throw t compensate -> after
        user after
    """)
    throw_error(case, "ua", "LATE")
    assert case.at() == ["by_hand", "t"]
    case.complete("by_hand")
    assert case.at() == ["after"]


def throw_error(case: Case, node: str, code: str) -> None:
    """Let a worker end a task by an error."""
    task = case.external(node)
    case.do(c.LockExternalTasks(tasks=(task.id,), worker="w", lock_ms=1_000))
    case.do(c.ThrowExternalTaskError(task=task.id, worker="w", error_code=code))


def test_a_handler_can_be_a_subprocess_with_compensation_of_its_own(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> t
        sub ua
          start us -> inner
          task inner undo=ui -> ut
          user ui
          throw ut compensate -> ux
          end ux
        throw t compensate -> after
        user after
    """)
    assert case.at() == ["t", "ua", "ui", "ut"]
    case.complete("ui")
    assert case.at() == ["after"]
    assert compensated(case) == ["inner", "a"]


def test_an_activity_whose_way_out_fails_is_recorded_once(play: Play) -> None:
    case = play.grow(
        """
        start s -> a
        user a undo=ua -> t [ok]
        user ua
        throw t compensate -> x
        end x
        """,
        ok=False,
    )
    case.complete("a")
    assert [incident.kind for incident in case.incidents()] == ["NoFlow"]
    assert case.state.compensations == {}
    case.set(ok=True)
    case.retry("a")
    assert len(case.state.compensations) == 1
    case.complete("ua")
    assert case.status == "COMPLETED"


def test_an_instance_that_completes_compensates_nothing(play: Play) -> None:
    case = play.grow("""
        start s -> a
        task a undo=ua -> x
        user ua
        end x
    """)
    assert case.status == "COMPLETED"
    assert [row.status for row in case.state.compensations.values()] == ["OPEN"]
