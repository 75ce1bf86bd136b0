from __future__ import annotations

from bpm.core.elements.service_task import ServiceTask
from bpm.core.elements.user_task import UserTask
from tests.bpmn.files import LINE, around, flow, graph, path, read


def test_a_line_of_three_nodes() -> None:
    made = graph(LINE, 'name="Order" camunda:versionTag="1.2"')
    assert (made.key, made.name, made.version_tag) == ("p", "Order", "1.2")
    assert list(made.nodes) == ["s", "t", "e"]
    assert [(one.id, one.source, one.target) for one in made.flows.values()] == [
        ("f1", "s", "t"),
        ("f2", "t", "e"),
    ]
    assert made.root.starts == ("s",)
    assert made.root.nodes == ("s", "t", "e")
    task = made.nodes["t"]
    assert (task.tag, task.scope, task.incoming, task.outgoing) == ("task", "p", ("f1",), ("f2",))
    assert (task.order, task.before, task.after, task.job_retries, task.job_delays) == (
        1,
        False,
        False,
        3,
        (),
    )


def test_a_zeebe_version_tag_counts_too() -> None:
    tag = '<extensionElements><zeebe:versionTag value="v7"/></extensionElements>'
    assert graph(tag + LINE).version_tag == "v7"


def test_a_process_without_name_and_version_tag() -> None:
    made = graph(LINE)
    assert (made.name, made.version_tag) == ("", "")


def test_names_and_documentation_are_kept() -> None:
    body = around('<task id="x" name=" Pay\n it "><documentation> Why. </documentation></task>')
    node = graph(body).nodes["x"]
    assert (node.name, node.documentation) == ("Pay  it", "Why.")


def test_outgoing_flows_stand_in_the_order_of_the_flow_elements() -> None:
    body = '<startEvent id="s"/><exclusiveGateway id="x"><outgoing>x-a</outgoing><outgoing>x-b</outgoing>'
    body += '</exclusiveGateway><task id="a"/><task id="b"/>'
    body += flow("x", "b", "${v}") + flow("x", "a", "${v}") + flow("s", "x")
    assert graph(body).nodes["x"].outgoing == ("x-b", "x-a")


def test_each_element_reads_itself() -> None:
    body = around(
        '<userTask id="u" camunda:assignee="${boss}"/>'
        '<serviceTask id="x" camunda:type="external" camunda:topic="pay"/>' + flow("x", "u")
    )
    nodes = graph(body).nodes
    user, service = nodes["u"], nodes["x"]
    assert isinstance(user, UserTask)
    assert user.assignee is not None
    assert user.assignee.names == frozenset({"boss"})
    assert isinstance(service, ServiceTask)
    assert service.external
    assert service.topic is not None
    assert service.topic.text == "pay"


def test_binding_forks_are_found() -> None:
    body = around(
        '<parallelGateway id="x"/><task id="a"/><task id="b"/><parallelGateway id="j"/>'
        + path("x", "a", "j")
        + path("x", "b", "j", "e")
    ).replace(flow("x", "e"), "")
    assert graph(body).binding_fork == {"j": "x"}


def test_lanes_starters_and_the_like_are_extras() -> None:
    lanes = (
        '<laneSet id="ls"><lane id="l1" name="Sales"><flowNodeRef>s</flowNodeRef><flowNodeRef> t </flowNodeRef>'
        '<childLaneSet id="lc"><lane id="l2" name="Desk"><flowNodeRef>t</flowNodeRef></lane></childLaneSet>'
        "</lane></laneSet>"
    )
    body = (
        "<documentation>How.</documentation>"
        + lanes
        + LINE.replace('id="s"', 'id="s" camunda:initiator="who"')
    )
    attributes = 'camunda:candidateStarterUsers="ann, bob," camunda:candidateStarterGroups="sales"'
    assert graph(body, attributes + ' camunda:historyTimeToLive="30"').extras == {
        "initiator": "who",
        "candidate_starter_users": ("ann", "bob"),
        "candidate_starter_groups": ("sales",),
        "lanes": {"s": "Sales", "t": "Desk"},
        "triggered_starts": (),
        "documentation": "How.",
        "history_time_to_live": "30",
        "saga": None,
    }


def test_task_priority_of_the_process_reaches_its_tasks() -> None:
    node = graph(around('<serviceTask id="x" camunda:topic="t"/>'), 'camunda:taskPriority="7"').nodes["x"]
    assert isinstance(node, ServiceTask)
    assert node.priority is not None
    assert node.priority.text == "7"


def test_there_is_no_graph_with_problems() -> None:
    model = read(LINE + '<task id="t"/>')
    assert model.problems != ()
    assert model.graph is None
