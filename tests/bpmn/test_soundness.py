"""What is allowed but cannot be meant is warned of."""

from __future__ import annotations

import random

from bpm.bpmn.cycles import component_of
from bpm.bpmn.dominance import Dominance
from bpm.bpmn.paths import reached, shortest_path
from bpm.core.errors import Problem
from tests.bpmn.files import LINE, around, flow, found, path, process, read, read_all
from tests.support.processor_time import processor_time


def warnings(body: str, rule: str) -> list[Problem]:
    """Return the warnings of one rule; the process has no problems."""
    model = read(body)
    assert model.problems == ()
    return [warning for warning in model.warnings if warning.rule == rule]


def test_a_join_fed_by_its_own_loop_is_warned_of_with_the_path() -> None:
    body = '<startEvent id="s"/><userTask id="a"/><parallelGateway id="j"/><task id="t"/><exclusiveGateway id="x"/>'
    body += '<endEvent id="e"/>' + path("s", "a", "j", "t", "x", "e") + flow("x", "j", "${again}")
    (warning,) = warnings(body, "join-waits-for-itself")
    assert warning.element == "j"
    assert "j → t → x → j" in warning.message


def test_a_long_path_is_shortened() -> None:
    names = [f"n{number}" for number in range(50)]
    tasks = "".join(f'<task id="{name}"/>' for name in names)
    body = f'<startEvent id="s"/><parallelGateway id="j"/>{tasks}' + path("s", "j", *names, "j")
    (warning,) = warnings(body, "join-waits-for-itself")
    assert "j → n0 → n1" in warning.message
    assert warning.message.count("→") == 11


def test_a_join_in_a_loop_that_can_be_filled_is_not_warned_of() -> None:
    body = around(
        '<parallelGateway id="x"/><task id="a"/><task id="b"/><parallelGateway id="j"/><exclusiveGateway id="g"/>'
    )
    body = body.replace(flow("s", "x"), "").replace(flow("x", "e"), "")
    body += (
        '<exclusiveGateway id="m"/>'
        + path("s", "m", "x", "a", "j", "g", "e")
        + path("x", "b", "j")
        + flow("g", "m", "${v}")
    )
    assert warnings(body, "join-waits-for-itself") == []


def test_nodes_that_no_token_can_reach_are_warned_of() -> None:
    body = LINE + '<task id="a"/><task id="b"/>' + path("a", "b", "e")
    assert {warning.element for warning in warnings(body, "unreachable-node")} == {"a", "b"}


def test_boundaries_handlers_links_and_inner_nodes_are_reached() -> None:
    body = LINE + (
        '<boundaryEvent id="b" attachedToRef="t"><timerEventDefinition/></boundaryEvent><task id="after"/>'
        '<intermediateThrowEvent id="l1"><linkEventDefinition name="n"/></intermediateThrowEvent>'
        '<intermediateCatchEvent id="l2"><linkEventDefinition name="n"/></intermediateCatchEvent><task id="behind"/>'
        '<subProcess id="q" triggeredByEvent="true"><startEvent id="qs"><timerEventDefinition/></startEvent>'
        '<task id="qt"/><sequenceFlow id="qf" sourceRef="qs" targetRef="qt"/></subProcess>'
        '<adHocSubProcess id="z"><task id="z1"/></adHocSubProcess><task id="h" isForCompensation="true"/>'
    )
    body += path("t", "l1") + path("l2", "behind") + path("b", "after") + path("t", "z")
    assert [warning for warning in read(body).warnings if warning.rule == "unreachable-node"] == []


def test_flows_behind_one_without_condition_are_warned_of() -> None:
    body = '<startEvent id="s"/><exclusiveGateway id="x" default="x-c"/><task id="a"/><task id="b"/><task id="c"/>'
    body += flow("s", "x") + flow("x", "c") + flow("x", "a") + flow("x", "b", "${v}")
    (warning,) = warnings(body, "flow-shadows-others")
    assert warning.element == "x-a"
    assert "'x-b', 'x-c'" in warning.message


def test_the_last_flow_may_be_without_condition() -> None:
    body = '<startEvent id="s"/><exclusiveGateway id="x"/><task id="a"/><task id="b"/>'
    assert (
        warnings(body + flow("s", "x") + flow("x", "a", "${v}") + flow("x", "b"), "flow-shadows-others") == []
    )


def test_inclusive_joins_on_one_loop_are_warned_of() -> None:
    body = (
        '<startEvent id="s"/><inclusiveGateway id="x"/><inclusiveGateway id="y"/><exclusiveGateway id="g"/>'
    )
    body += '<endEvent id="e"/>'
    body += path("s", "x", "y", "g", "e") + flow("g", "x", "${v}") + flow("g", "y", "${w}", name="gy")
    assert [warning.element for warning in warnings(body, "mutual-waiting")] == ["x", "y"]
    assert warnings(body.replace(flow("g", "x", "${v}"), ""), "mutual-waiting") == []


def test_message_flows_are_warned_of_where_they_touch_a_process() -> None:
    pools = (
        '<collaboration id="c"><participant id="p1" processRef="p"/><participant id="p2"/>'
        '<messageFlow id="m" sourceRef="p2" targetRef="t"/><messageFlow id="n" sourceRef="p1" targetRef="p2"/>'
        "</collaboration>"
    )
    (model,) = read_all(pools, process(LINE)).processes
    assert model.problems == ()
    assert found(model.warnings) == {("m", "message-flow")}


def _random_steps(number: int, seed: int) -> dict[str, list[str]]:
    chance = random.Random(seed)
    names = [str(index) for index in range(number)]
    return {name: [chance.choice(names) for _ in range(chance.randrange(3))] for name in names}


def test_components_and_dominators_agree_with_their_definitions() -> None:
    for seed in range(60):
        steps = _random_steps(9, seed)
        component = component_of(steps, lambda name, steps=steps: steps[name])  # type: ignore[misc]
        dominance = Dominance(steps, steps, ["0"])
        for one in steps:
            without = {name: [step for step in after if step != one] for name, after in steps.items()}
            for other in steps:
                together = other in reached(steps, [one]) and one in reached(steps, [other])
                assert (component[one] == component[other]) == together
                through = other in reached(steps, ["0"]) and (
                    one in ("0", other) or other not in reached(without, ["0"])
                )
                assert dominance.dominates(one, other) == through


def test_shortest_paths() -> None:
    steps = {"a": ["b", "c"], "b": ["d"], "c": ["b"], "d": ["a"]}
    assert shortest_path(steps, "a", "d") == ["a", "b", "d"]
    assert shortest_path(steps, "a", "a") == ["a", "b", "d", "a"]
    assert shortest_path(steps, "d", "x") == []


def test_a_thousand_joins_on_one_loop_are_looked_at_quickly() -> None:
    names = [f"j{number}" for number in range(1_000)]
    body = '<startEvent id="s"/>' + "".join(f'<parallelGateway id="{name}"/>' for name in names)
    body += path("s", *names, names[0]) + "".join(
        flow(name, names[index // 2], name=f"b{index}") for index, name in enumerate(names)
    )
    with processor_time() as spent:
        assert len(warnings(body, "join-waits-for-itself")) > 500
    # Looking at each join for each other one takes minutes.
    assert spent.seconds < 10
