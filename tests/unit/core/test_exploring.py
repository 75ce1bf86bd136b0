"""Everything that can happen in small processes, and what is found to be wrong with them."""

from __future__ import annotations

import pytest

from bpm.bpmn import read_file
from bpm.core.exploring import EVERYTHING, PLAIN, Bounds, Environment, Finding, Report, explore
from tests.support.model import parse_model
from tests.support.model_graph import build_graph
from tests.support.tree_model import tree_xml


def _flat(text: str, environment: Environment = EVERYTHING, **bounds: int) -> Report:
    return explore(build_graph(parse_model(text, "p")), environment, Bounds(**bounds))


def _nested(text: str, environment: Environment = EVERYTHING, **bounds: int) -> Report:
    (process,) = read_file(tree_xml(text)).processes
    assert process.graph is not None, process.problems
    return explore(process.graph, environment, Bounds(**bounds))


def _found(report: Report) -> list[tuple[str, str]]:
    return [(finding.rule, finding.element) for finding in report.findings]


def _only(report: Report) -> Finding:
    (finding,) = report.findings
    return finding


SOUND = {
    "parallel": "start s -> f\npar f -> a, b\nuser a -> j\nexternal b -> j\npar j -> e\nend e",
    "exclusive": "start s -> f\nxor f -> a [x], b [y]\nuser a -> j\nuser b -> j\nxor j -> e\nend e",
    "inclusive": (
        "start s -> f\nor f -> a [x], b [y], c [else]\nuser a -> j\nuser b -> j\ntask c -> j\nor j -> e\nend e"
    ),
    "loop": "start s -> m\nxor m -> a\nuser a -> x\nxor x -> m [again], e [else]\nend e",
    "automatic loop": "start s -> m\nxor m -> a\ntask a -> x\nxor x -> m [again], e [else]\nend e",
    "fork in a loop": (
        "start s -> m\nxor m -> f\npar f -> a, b\nuser a -> j\ntask b -> j\npar j -> x\n"
        "xor x -> m [again], e [else]\nend e"
    ),
    "jobs": (
        "start s -> a\nuser a before after -> b\nservice b handler=h after -> c\n"
        "script c format=py script=x -> e\nend e"
    ),
    "two ends": "start s -> f\npar f -> a, b\nuser a -> e\nuser b -> g\nend e\nend g",
    "one end for two": "start s -> f\npar f -> a, b\nuser a -> e\nuser b -> e\nend e",
    "terminate": "start s -> f\npar f -> a, b\nuser a -> e\nuser b -> g\nterminate e\nend g",
    "timer": "start s -> t\ntimer t duration=PT1H -> e\nend e",
}


@pytest.mark.parametrize("environment", [EVERYTHING, PLAIN], ids=["everything", "plain"])
@pytest.mark.parametrize("name", SOUND)
def test_nothing_is_wrong_with_a_sound_process(name: str, environment: Environment) -> None:
    report = _flat(SOUND[name], environment)
    assert report.complete
    assert report.findings == ()
    assert report.states > 1


NESTED = {
    "boundaries": """
        start s -> q
        sub q -> z
          start qs -> a
          user a -> x
          external x -> qe
          end qe
        boundary b at=q error=E -> z
        boundary t at=q timer=PT1H -> late
        user late -> le
        end le
        boundary m at=q message=stop -> e
        xor z -> e
        end e
    """,
    "loops": """
        start s -> q
        sub q mi=3 done="${nrOfCompletedInstances >= 2}" -> u
          start qs -> a
          user a -> qe
          end qe
        user u items="${list}" seq -> w
        user w loop="${again}" -> e
        end e
    """,
    "transaction": """
        start s -> tx
        transaction tx -> e
          start ts -> a
          external a undo=ua -> x
          user ua
          xor x -> no [bad], te [else]
          end no cancel
          end te
        boundary off at=tx cancel -> sorry
        user sorry -> e2
        end e2
        end e
    """,
    "ad hoc": """
        start s -> q
        adhoc q until="${enough}" -> e
          user a
          user b
        end e
    """,
    "handlers": """
        start s -> a
        user a -> e
        end e
        handler h
          start hs message=more -> hu
          user hu -> hx
          end hx
    """,
    "complex gateway": """
        start s -> f
        par f -> a, b, c
        user a -> g
        user b -> g
        user c -> g
        complex g when="${activationCount >= 2}" -> e
        end e
    """,
    "links": """
        start s -> a
        user a -> l
        throw l link=x
        catch k link=x -> e
        end e
    """,
    "quantities": "start s -> a\nuser a gives=2 -> b\nuser b needs=2 -> e\nend e",
}


@pytest.mark.parametrize("name", NESTED)
def test_nothing_is_wrong_with_sound_scopes_and_events(name: str) -> None:
    text = (
        "\n".join(f"        {line.strip()}" for line in NESTED[name].splitlines())
        if name == "quantities"
        else NESTED[name]
    )
    report = _nested(text)
    assert report.complete
    assert report.findings == ()


# what is wrong


def test_a_join_behind_a_choice_is_a_deadlock_with_the_way_to_it() -> None:
    report = _flat("start s -> f\nxor f -> a [x], b [else]\nuser a -> j\nuser b -> j\npar j -> e\nend e")
    finding = _only(report)
    assert (finding.rule, finding.element) == ("deadlock", "j")
    assert finding.trace == ("the process is started: f takes f_a", "the user task a is completed")
    assert "b_j" in finding.message


def test_a_merge_behind_a_fork_is_not_synchronised() -> None:
    for kind in ("user", "task"):
        report = _flat(
            f"start s -> f\npar f -> a, b\n{kind} a -> j\n{kind} b -> j\nxor j -> t\ntask t -> e\nend e"
        )
        finding = _only(report)
        assert (finding.rule, finding.element) == ("lack-of-synchronisation", "j")
        assert len(finding.trace) == (3 if kind == "user" else 1)


def test_a_join_fed_by_its_own_loop_is_a_deadlock() -> None:
    report = _flat("start s -> j\npar j -> t\ntask t -> x\nxor x -> j [again], e [else]\nend e")
    assert _found(report) == [("deadlock", "j")]
    assert _only(report).trace == ("the process is started",)


def test_a_flow_that_may_be_taken_twice_before_a_join_is_not_synchronised() -> None:
    report = _flat("""
        start s -> f
        par f -> a, b, c
        user a -> m
        user b -> m
        xor m -> j
        user c -> j
        par j -> e
        end e
    """)
    assert ("lack-of-synchronisation", "m") in _found(report)


def test_a_loop_that_forks_grows_without_bound() -> None:
    report = _flat("start s -> m\nxor m -> f\npar f -> a, u\nuser a -> e\nuser u -> m\nend e")
    assert not report.complete
    assert report.bound == "tokens"
    assert ("unbounded-growth", "a") in _found(report)


def test_a_process_that_never_ends_is_a_livelock() -> None:
    report = _flat("start s -> m\nxor m -> u\nuser u -> m")
    assert _found(report) == [("livelock", "u")]


def test_what_only_a_constant_keeps_out_is_dead() -> None:
    report = _flat("start s -> x\nxor x -> a [false], b [true]\nuser a -> c\nuser c -> e\nuser b -> e\nend e")
    assert _found(report) == [("dead-node", "a")]


def test_what_another_timer_always_forestalls_is_dead() -> None:
    text = """
        start s -> a
        user a -> e
        end e
        boundary early at=a timer=PT1M -> x
        end x
        boundary late at=a timer=PT2M -> y
        end y
    """
    assert _found(_nested(text)) == [("dead-node", "late")]
    assert _found(_nested(text.replace("PT2M", "PT1M"))) == []


def test_timers_set_at_different_times_fire_in_either_order() -> None:
    report = _nested(
        """
        start s -> f
        par f -> long, a
        catch long timer=PT1H -> x
        end x terminate
        user a -> short
        catch short timer=PT1M -> y
        end y terminate
    """
    )
    assert report.findings == ()


def test_an_error_that_nothing_throws_leaves_its_way_dead() -> None:
    text = """
        start s -> q
        sub q -> e
          start qs -> a
          {} a -> qe
          end qe
        boundary b at=q error=E -> x
        end x
        end e
    """
    assert _found(_nested(text.format("task"))) == [("dead-node", "b")]
    assert _found(_nested(text.format("user"))) == []


def test_both_ways_of_an_event_subprocess_that_joins_in_are_seen() -> None:
    report = _nested("""
        start s -> f
        par f -> a, b
        user a -> j
        user b -> j
        par j -> e
        end e
        boundary m at=b message=skip -> z
        end z
    """)
    assert _found(report) == [("deadlock", "j")]
    assert any("the message of m comes" in line for line in _only(report).trace)


def test_a_side_way_that_runs_into_the_main_one_is_not_synchronised() -> None:
    report = _nested("""
        start s -> a
        user a -> m
        boundary n at=a message=hurry keep -> m
        xor m -> b
        user b -> e
        end e
    """)
    assert ("lack-of-synchronisation", "m") in _found(report)
