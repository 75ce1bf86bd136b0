"""What counts as one situation, what can come from outside, and how far an exploration goes."""

from __future__ import annotations

from collections.abc import Iterator

from bpm.bpmn import read_file
from bpm.core.exploring import EVERYTHING, PLAIN, Bounds, Environment, Finding, Report, explore
from bpm.core.values import from_text, to_text
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


# how far it goes


def test_branches_that_are_alike_in_all_but_name_are_still_told_apart() -> None:
    names = [f"u{number}" for number in range(8)]
    lines = [
        f"start s -> f\npar f -> {', '.join(names)}",
        *(f"user {name} -> j" for name in names),
        "par j -> e\nend e",
    ]
    report = _flat("\n".join(lines))
    assert report.states == 2**8


def test_instances_of_one_activity_are_not_told_apart() -> None:
    report = _nested("start s -> a\nuser a mi=20 -> e\nend e")
    assert report.states == 21
    assert report.transitions == 21


def test_ids_and_history_do_not_make_a_new_situation() -> None:
    report = _flat("start s -> m\nxor m -> a\nuser a -> m")
    assert (report.states, report.transitions) == (1, 2)


def test_work_that_fails_or_is_lost_comes_back() -> None:
    text = "start s -> a\nexternal a -> b\nscript b format=py script=x -> e\nend e"
    whole, plain = _flat(text), _flat(text, PLAIN)
    # READY, LOCKED, FAILED; job READY, RUNNING, FAILED, lost once; ended
    assert whole.states > plain.states == 3
    assert whole.findings == plain.findings == ()


def test_calls_complete_fail_and_throw() -> None:
    xml = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="d" targetNamespace="t">
      <error id="E" name="E" errorCode="E"/><escalation id="X" name="X" escalationCode="X"/>
      <process id="p" isExecutable="true"><startEvent id="s"/><callActivity id="c" calledElement="q"/>
      <boundaryEvent id="be" attachedToRef="c"><errorEventDefinition errorRef="E"/></boundaryEvent>
      <boundaryEvent id="bx" attachedToRef="c" cancelActivity="false"><escalationEventDefinition escalationRef="X"/>
      </boundaryEvent><endEvent id="e"/><endEvent id="e1"/><endEvent id="e2"/>
      <sequenceFlow id="f" sourceRef="s" targetRef="c"/><sequenceFlow id="g" sourceRef="c" targetRef="e"/>
      <sequenceFlow id="h" sourceRef="be" targetRef="e1"/><sequenceFlow id="i" sourceRef="bx" targetRef="e2"/>
      </process></definitions>"""
    (process,) = read_file(xml).processes
    assert process.graph is not None
    report = explore(process.graph)
    assert report.complete
    assert report.findings == ()


def test_every_bound_ends_the_walk_and_is_told() -> None:
    names = [f"u{number}" for number in range(10)]
    wide = "\n".join(
        [
            f"start s -> f\npar f -> {', '.join(names)}",
            *(f"user {name} -> j" for name in names),
            "par j -> e\nend e",
        ]
    )
    few = _flat(wide, states=50)
    assert (few.complete, few.bound) == (False, "states")
    assert few.states < 70
    seconds = explore(build_graph(parse_model(wide, "p")), PLAIN, Bounds(seconds=5), _Ticks())
    assert (seconds.complete, seconds.bound) == (False, "seconds")
    assert few.findings == seconds.findings == ()


class _Ticks:
    """A clock that goes on by a second with each look."""

    def __init__(self) -> None:
        self._seconds: Iterator[int] = iter(range(1_000_000))

    def __call__(self) -> float:
        return float(next(self._seconds))


def test_more_choices_than_are_followed_end_the_walk() -> None:
    flows = ", ".join(f"a{number} [x{number}]" for number in range(12))
    tasks = "\n".join(f"task a{number} -> j" for number in range(12))
    report = _flat(f"start s -> f\nor f -> {flows}\n{tasks}\nor j -> e\nend e")
    assert (report.complete, report.bound) == (False, "choices")
    assert report.findings == ()


def test_a_report_is_json() -> None:
    report = _flat("start s -> j\npar j -> t\ntask t -> x\nxor x -> j [again], e [else]\nend e")
    told = from_text(to_text(report.as_json()))
    assert told["process"] == "p"
    assert told["complete"] is True
    assert told["findings"][0]["trace"] == ["the process is started"]
