"""Models for the cockpit's tests."""

from __future__ import annotations

from tests.support.bpmn_text import bpmn, flows

_FORK = (
    '<startEvent id="start"/><parallelGateway id="fork"/><parallelGateway id="join"/><endEvent id="end"/>'
    '<userTask id="check" name="Check &lt;b&gt;it&lt;/b&gt;"/>'
    '<serviceTask id="pay" name="Pay" camunda:type="external" camunda:topic="payment"/>'
)
_FLOWS = flows("start fork", "fork check", "fork pay", "check join", "pay join", "join end")
_SIGNED = _FORK.replace('<endEvent id="end"/>', '<userTask id="sign" name="Sign"/><endEvent id="end"/>')
_SIGNED_FLOWS = _FLOWS.replace('id="join_end"', 'id="join_sign"').replace(
    'targetRef="end"', 'targetRef="sign"'
)

ORDER = bpmn(_FORK, _FLOWS, key="order")
"""A fork into a user task and an external task, and their join."""

ORDER_2 = bpmn(_SIGNED, _SIGNED_FLOWS, flows("sign end"), key="order")
"""The same with one more user task after the join."""

LATE = bpmn(
    '<startEvent id="daily"><timerEventDefinition>',
    "<timeCycle>0 0 6 * * ?</timeCycle></timerEventDefinition></startEvent>",
    '<endEvent id="end"/>',
    flows("daily end"),
    key="late",
)
"""Starts by itself every morning."""
