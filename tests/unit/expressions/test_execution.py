from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from bpm.core.expressions import (
    EvaluationFailed,
    ExpressionSyntaxError,
    compile_condition,
    compile_expression,
)
from tests.unit.expressions.variables import Recorder, Variables


def run(text: str, execution: Recorder, **variables: Any) -> Any:
    return compile_expression(text, effects=True).evaluate(Variables(variables), execution)


def test_setters_write_and_give_null() -> None:
    execution = Recorder({"old": 1})
    assert run('${execution.setVariable("variable", 1)}', execution) is None
    run("${execution.setVariableLocal('here', x + 1)}", execution, x=2)
    run("${execution.removeVariable('old')}", execution)
    assert execution.variables == {"variable": 1}
    assert execution.local == {"here": 3}


def test_a_value_is_written_as_json() -> None:
    execution = Recorder()
    run("${execution.setVariable('a', 4 / 2)}", execution)
    run("${execution.setVariable('b', 0.1 + 0.2)}", execution)
    assert execution.variables == {"a": 2, "b": Decimal("0.3")}
    assert type(execution.variables["a"]) is int


def test_reading() -> None:
    execution = Recorder({"n": 1})
    text = "${execution.setVariable('n', execution.getVariable('n') + 1)}"
    run(text, execution)
    run(text, execution)
    assert execution.variables == {"n": 3}
    assert run("${execution.getVariable('none')}", execution) is None
    assert run("${execution.hasVariable('n') and not execution.hasVariable('m')}", execution) is True
    assert run("#{execution.processBusinessKey}", execution) == "order 7"
    assert run("${execution.processInstanceId} at ${execution.currentActivityId}", execution) == "i-1 at task"


@pytest.mark.parametrize("call", ["setVariable('a', 1)", "setVariableLocal('a', 1)", "removeVariable('a')"])
def test_setters_are_refused_where_no_effect_is_allowed(call: str) -> None:
    with pytest.raises(ExpressionSyntaxError, match="has an effect, and none is allowed here"):
        compile_expression("${execution." + call + "}")
    with pytest.raises(ExpressionSyntaxError, match="has an effect"):
        compile_condition("execution." + call)


def test_reading_is_allowed_everywhere() -> None:
    condition = compile_condition("${execution.getVariable('n') == 1}")
    assert condition.truth(Variables({}), Recorder({"n": 1})) is True
    assert condition.effects is False


def test_names_and_effects() -> None:
    expression = compile_expression("${execution.setVariable('target', source)}", effects=True)
    assert expression.effects is True
    assert expression.names == frozenset({"target", "source"})
    computed = compile_expression("${execution.getVariable(which)}")
    assert computed.names is None
    assert computed.effects is False


def test_the_name_of_a_variable_is_text() -> None:
    with pytest.raises(EvaluationFailed, match="The name of a variable is no text"):
        run("${execution.setVariable(1, 2)}", Recorder())


def test_what_the_scope_raises_passes_through() -> None:
    class NotLoaded(Exception):
        pass

    class Scope:
        def lookup(self, name: str) -> object:
            raise NotLoaded(name)

    for text in ("${x}", "=x", "${x > 1}", "=x > 1", "=[1][x]"):
        with pytest.raises(NotLoaded):
            compile_expression(text).evaluate(Scope())
