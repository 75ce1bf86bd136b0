"""How the shop uses the engine: one function that changes the shop's rows and the process together."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from bpm import engine
from tests.second_project.shop.models import Order

ORDER_PROCESS: Final = b"""<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:shop"
             xmlns:camunda="http://camunda.org/schema/1.0/bpmn">
  <process id="order" isExecutable="true">
    <startEvent id="placed"/>
    <sequenceFlow id="f1" sourceRef="placed" targetRef="fork"/>
    <parallelGateway id="fork"/>
    <sequenceFlow id="f2" sourceRef="fork" targetRef="check"/>
    <sequenceFlow id="f3" sourceRef="fork" targetRef="pack"/>
    <userTask id="check"/>
    <serviceTask id="pack" camunda:type="external" camunda:topic="pack"/>
    <sequenceFlow id="f4" sourceRef="check" targetRef="join"/>
    <sequenceFlow id="f5" sourceRef="pack" targetRef="join"/>
    <parallelGateway id="join"/>
    <sequenceFlow id="f6" sourceRef="join" targetRef="confirm"/>
    <serviceTask id="confirm" camunda:class="shop.confirm"/>
    <sequenceFlow id="f7" sourceRef="confirm" targetRef="done"/>
    <endEvent id="done"/>
  </process>
</definitions>"""

REMINDER_PROCESS: Final = b"""<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:shop">
  <process id="reminder" isExecutable="true">
    <startEvent id="begun"/>
    <sequenceFlow id="f1" sourceRef="begun" targetRef="wait"/>
    <intermediateCatchEvent id="wait">
      <timerEventDefinition><timeDuration>PT0S</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
  </process>
</definitions>"""

RETURN_PROCESS: Final = b"""<?xml version="1.0"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:shop">
  <process id="return" isExecutable="true">
    <startEvent id="wanted"/>
    <sequenceFlow id="f1" sourceRef="wanted" targetRef="remind"/>
    <callActivity id="remind" calledElement="reminder"/>
  </process>
</definitions>"""


def place_order(number: str) -> Order:
    """Store an order and start its process, in the caller's transaction if there is one."""
    order = Order.objects.create(number=number)
    started = engine.start("order", business_key=number, variables={"number": number})
    order.instance = UUID(started["instance_id"])
    order.save()
    return order
