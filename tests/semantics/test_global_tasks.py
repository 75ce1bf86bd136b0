"""Call activities that name a global task of their file (semantics §4)."""

from __future__ import annotations

from bpm.core.lookup import own_variables
from tests.support.bpmn_text import bpmn, flows
from tests.support.play import Play

ENDS = '<startEvent id="s"/><endEvent id="e"/>' + flows("s c", "c e")
USER = (
    '<globalUserTask id="g" name="Check"><ioSpecification><dataInput id="gi" name="paper"/>'
    '<dataOutput id="go" name="verdict"/><inputSet/><outputSet/></ioSpecification>'
    "<potentialOwner><resourceAssignmentExpression><formalExpression>user(${who}), group(board)</formalExpression>"
    "</resourceAssignmentExpression></potentialOwner></globalUserTask>"
)


def test_a_global_user_task_is_work_of_the_caller(play: Play) -> None:
    call = (
        '<property id="doc"/><property id="result"/><callActivity id="c" calledElement="g">'
        "<dataInputAssociation><sourceRef>doc</sourceRef><targetRef>gi</targetRef></dataInputAssociation>"
        "<dataOutputAssociation><sourceRef>go</sourceRef><targetRef>result</targetRef></dataOutputAssociation>"
        "</callActivity>"
    )
    play.host.deploy(bpmn(call, ENDS, roots=USER))
    case = play.start(who="kim", doc="p1")
    (task,) = case.tasks("c")
    assert (task.name, task.candidate_users, task.candidate_groups) == ("Check", ("kim",), ("board",))
    assert own_variables(case.state, case.token_of(task).scope) == {"paper": "p1"}
    case.finish(task, verdict="good")
    assert (case.status, case.variables()) == ("COMPLETED", {"who": "kim", "doc": "p1", "result": "good"})


def test_what_a_call_passes_is_mapped_at_the_task(play: Play) -> None:
    call = (
        '<callActivity id="c" calledElement="g"><extensionElements><camunda:in source="a" target="x"/>'
        '<camunda:in source="missing" target="m"/><camunda:out sourceExpression="${x + 1}" target="b"/>'
        "</extensionElements></callActivity>"
    )
    play.host.deploy(bpmn(call, ENDS, roots='<globalUserTask id="g"/>'))
    case = play.start(a=1)
    (task,) = case.tasks("c")
    assert own_variables(case.state, case.token_of(task).scope) == {"m": None, "x": 1}
    case.finish(task)
    assert (case.status, case.variables()) == ("COMPLETED", {"a": 1, "b": 2})


def test_a_global_script_task_runs_its_script(play: Play) -> None:
    script = '<globalScriptTask id="g" scriptLanguage="feel"><script>a + 1</script></globalScriptTask>'
    call = '<callActivity id="c" calledElement="g" camunda:resultVariable="b"/>'
    play.host.deploy(bpmn(call, ENDS, roots=script))
    case = play.start(a=1)
    assert (case.status, case.variables()) == ("COMPLETED", {"a": 1, "b": 2})


def test_a_call_of_a_global_task_can_be_a_loop_and_be_interrupted(play: Play) -> None:
    loop = "<multiInstanceLoopCharacteristics><loopCardinality>2</loopCardinality></multiInstanceLoopCharacteristics>"
    event = (
        '<boundaryEvent id="b" attachedToRef="c"><timerEventDefinition><timeDuration>PT1H</timeDuration>'
        "</timerEventDefinition></boundaryEvent>" + flows("b e")
    )
    call = f'<callActivity id="c" calledElement="g">{loop}</callActivity>'
    play.host.deploy(bpmn(call, event, ENDS, roots='<globalUserTask id="g"/>'))
    case = play.start()
    assert len(case.tasks("c")) == 2
    play.pass_time("PT2H")
    assert (case.status, case.passed()["b"]) == ("COMPLETED", 1)
