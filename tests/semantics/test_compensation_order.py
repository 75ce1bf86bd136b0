"""In which order completed activities are compensated (semantics §8)."""

from __future__ import annotations

from bpm.core import events as e
from tests.support.compensating import compensated, complete, trigger
from tests.support.play import Play

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


def test_a_link_is_part_of_a_path(play: Play) -> None:
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
