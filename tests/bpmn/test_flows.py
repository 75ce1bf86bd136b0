from __future__ import annotations

import pytest

from bpm.core.expressions import Expression
from tests.bpmn.files import LINE, around, flow, found, graph, path, process, read, read_all

TWO = '<task id="a"/><task id="b"/>'


def condition(expression: str, *, tag: str = "exclusiveGateway", attributes: str = "") -> Expression | None:
    """Return the compiled condition of a flow that leaves such an element."""
    body = around(f'<{tag} id="x"/><task id="a"/>')
    body += (
        f'<sequenceFlow id="c" sourceRef="x" targetRef="a"><conditionExpression {attributes}>{expression}'
        "</conditionExpression></sequenceFlow>"
    )
    return graph(body).flows["c"].condition


def refused(expression: str, attributes: str = "") -> set[tuple[str, str]]:
    """Return what is wrong with such a condition."""
    body = around('<exclusiveGateway id="x"/><task id="a"/>')
    body += (
        f'<sequenceFlow id="c" sourceRef="x" targetRef="a"><conditionExpression {attributes}>{expression}'
        "</conditionExpression></sequenceFlow>"
    )
    return found(read(body).problems)


def test_source_and_target_are_the_truth_not_the_children_of_nodes() -> None:
    body = LINE.replace(
        '<task id="t"/>', '<task id="t"><incoming>f2</incoming><outgoing>gone</outgoing></task>'
    )
    node = graph(body).nodes["t"]
    assert (node.incoming, node.outgoing) == (("f1",), ("f2",))


def test_a_condition_is_stripped() -> None:
    compiled = condition("<![CDATA[\n  ${amount > 5}\n ]]>")
    assert compiled is not None
    assert (compiled.text, compiled.dialect, compiled.names) == (
        "${amount > 5}",
        "juel",
        frozenset({"amount"}),
    )


@pytest.mark.parametrize("language", ["", 'language="juel"', 'language="EL"', 'xsi:type="tFormalExpression"'])
def test_juel_is_the_language_without_marks(language: str) -> None:
    compiled = condition("amount &gt; 5", attributes=language)
    assert compiled is not None
    assert compiled.dialect == "juel"
    assert compiled.truth(type("Lookup", (), {"lookup": lambda self, name: 6})())


_FEEL_URI = 'language="https://www.omg.org/spec/DMN/20191111/FEEL/"'


@pytest.mark.parametrize(
    ("text", "attributes"),
    [
        ("=amount &gt; 5", ""),
        ("amount &gt; 5", 'language="feel"'),
        ("= amount &gt; 5", 'language="FEEL"'),
        ("amount &gt; 5", _FEEL_URI),
    ],
)
def test_feel_is_known_by_its_mark_or_by_the_language(text: str, attributes: str) -> None:
    compiled = condition(text, attributes=attributes)
    assert compiled is not None
    assert compiled.dialect == "feel"


@pytest.mark.parametrize("tag", ["inclusiveGateway", "task", "startEvent"])
def test_conditions_count_after_everything_that_chooses(tag: str) -> None:
    body = around(f'<{tag} id="x"/>' if tag != "startEvent" else '<task id="x"/>')
    source = "s" if tag == "startEvent" else "x"
    body += '<task id="a"/>' + flow(source, "a", "${v}")
    assert graph(body).flows[f"{source}-a"].condition is not None


@pytest.mark.parametrize("language", ["javascript", "http://www.w3.org/1999/XPath", "_invalid_uri%$!"])
def test_unknown_languages_are_refused(language: str) -> None:
    assert refused("a", f'language="{language}"') == {("c", "expression-language")}


def test_an_empty_condition_is_refused() -> None:
    assert refused(" \n ") == {("c", "empty-expression")}


def test_a_condition_in_a_resource_is_refused() -> None:
    assert refused("", 'camunda:resource="deployment://x.groovy"') == {("c", "unsupported-attribute")}


@pytest.mark.parametrize(
    "text", ["${a.b(}", "a b", "=1 +", "${execution.setVariable('a', 1)}", "${a.getClass()}"]
)
def test_a_condition_with_a_syntax_error_is_refused(text: str) -> None:
    assert refused(text) == {("c", "expression")}


def test_a_default_flow_with_a_condition_is_accepted_and_the_condition_ignored() -> None:
    body = '<startEvent id="s"/><exclusiveGateway id="x" default="x-b"/>' + TWO + flow("s", "x")
    model = read(body + flow("x", "a", "${v}") + flow("x", "b", "not even an expression"))
    assert model.problems == ()
    assert ("x-b", "condition-ignored") in found(model.warnings)
    assert model.graph is not None
    assert model.graph.nodes["x"].default == "x-b"
    assert model.graph.flows["x-b"].condition is None
    assert model.graph.flows["x-a"].condition is not None


def test_conditions_behind_a_parallel_gateway_are_not_compiled() -> None:
    model = read(
        '<startEvent id="s"/><parallelGateway id="x"/>'
        + TWO
        + flow("s", "x")
        + flow("x", "a", "${")
        + flow("x", "b")
    )
    assert model.problems == ()
    assert found(model.warnings) == {("x-a", "condition-ignored")}
    assert model.graph is not None
    assert model.graph.flows["x-a"].condition is None


@pytest.mark.parametrize("reference", ["x-e", "q:x-e", " x-e "])
def test_a_default_flow_may_be_a_prefixed_name(reference: str) -> None:
    assert graph(around(f'<exclusiveGateway id="x" default="{reference}"/>')).nodes["x"].default == "x-e"


@pytest.mark.parametrize("reference", ["s-x", "s", "gone"])
def test_a_default_flow_that_does_not_leave_its_owner_is_refused(reference: str) -> None:
    assert found(read(around(f'<task id="x" default="{reference}"/>')).problems) == {("x", "default-flow")}


BROKEN = {
    "no target": ('<sequenceFlow id="c" sourceRef="t"/>', "dangling-reference"),
    "no source": ('<sequenceFlow id="c" targetRef="t"/>', "dangling-reference"),
    "target not there": (flow("t", "gone", name="c"), "dangling-reference"),
    "source not there": (flow("gone", "t", name="c"), "dangling-reference"),
    "to an annotation": ('<textAnnotation id="n"/>' + flow("t", "n", name="c"), "flow-end"),
    "from a flow": (flow("f1", "t", name="c"), "flow-end"),
    "into a subprocess": (
        '<subProcess id="q"><task id="in"/></subProcess>' + flow("t", "in", name="c"),
        "flow-crosses-scope",
    ),
    "id of another flow": (flow("t", "e", name="c") * 2, "duplicate-id"),
    "id of a node": (flow("t", "e", name="t"), "duplicate-id"),
}


@pytest.mark.parametrize(("body", "rule"), BROKEN.values(), ids=BROKEN)
def test_flows_that_do_not_hold_are_problems_of_the_flow(body: str, rule: str) -> None:
    problems = [problem for problem in read(LINE + body).problems if problem.rule != "unsupported-element"]
    assert {problem.rule for problem in problems} == {rule}
    assert {problem.element for problem in problems} == {"t" if body == BROKEN["id of a node"][0] else "c"}


def test_a_flow_into_another_process_is_refused() -> None:
    first = process(LINE + flow("t", "t2", name="c"))
    second = process('<startEvent id="s2"/><task id="t2"/>' + flow("s2", "t2"), key="p2")
    one, two = read_all(first, second).processes
    assert found(one.problems) == {("c", "flow-crosses-process")}
    assert two.problems == ()


def test_a_flow_without_id_is_named_by_its_ends() -> None:
    body = '<startEvent id="s"/><endEvent id="e"/>' + '<sequenceFlow sourceRef="s" targetRef="e"/>'
    assert list(graph(body).flows) == ["s->e"]


def test_two_flows_without_id_between_the_same_nodes_are_two_flows() -> None:
    body = '<startEvent id="s"/><endEvent id="e"/>' + '<sequenceFlow sourceRef="s" targetRef="e"/>' * 2
    assert list(graph(body).flows) == ["s->e", "s->e#2"]


def test_references_may_be_prefixed_names() -> None:
    assert graph(LINE.replace('Ref="', 'Ref="q:')).flows["f1"].source == "s"


def test_ids_need_not_be_names_of_xml() -> None:
    odd = "{4711 ä:b}"
    node = graph(f'<startEvent id="s"/><task id="{odd}"/>' + flow("s", odd, name="1")).nodes[odd]
    assert node.incoming == ("1",)


def test_a_flow_element_may_stand_in_an_outer_scope() -> None:
    inner = '<subProcess id="x"><startEvent id="s2"/><endEvent id="e2"/></subProcess>'
    assert read(around(inner) + path("s2", "e2")).problems == ()
