"""Loops of activities: how often, over what, and what is gathered (semantics §4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bpm.bpmn.data_names import clean
from bpm.bpmn.tags import is_true
from bpm.core.expressions import Expression
from bpm.core.graph import Armed, MultiInstance, StandardLoop
from bpm.core.mappings import DataName, DataSource, Source
from bpm.core.xml import ZEEBE, XmlElement

if TYPE_CHECKING:
    from bpm.bpmn.process_reading import ProcessReading


def read_loop(xml: XmlElement, reading: ProcessReading) -> MultiInstance | StandardLoop | None:
    """Return the loop of an activity, None where it has none."""
    loop = xml.first("standardLoopCharacteristics")
    if loop is not None:
        condition = loop.child_text("loopCondition")
        maximum = loop.get("loopMaximum").strip()
        return StandardLoop(
            test_before=is_true(loop.get("testBefore")),
            condition=reading.condition(loop, condition) if condition else None,
            maximum=int(maximum) if maximum.isdigit() else None,
        )
    multi = xml.first("multiInstanceLoopCharacteristics")
    return None if multi is None else _read_multi(multi, xml, reading)


def gathered_outputs(xml: XmlElement) -> frozenset[str]:
    """Return the ids of an activity's data outputs that its multi-instance loop gathers."""
    multi = xml.first("multiInstanceLoopCharacteristics")
    if multi is None:
        return frozenset()
    item = multi.first("outputDataItem")
    found = {multi.child_text("loopDataOutputRef") or "", item.id if item is not None else ""}
    return frozenset(found - {""})


def _read_multi(xml: XmlElement, activity: XmlElement, reading: ProcessReading) -> MultiInstance:
    zeebe = next(xml.extensions("loopCharacteristics", ZEEBE), None)
    cardinality = xml.child_text("loopCardinality")
    completion = xml.child_text("completionCondition")
    collection = _collection(xml, activity, zeebe, reading)
    if not cardinality and not collection:
        reading.problem(
            xml, "multi-instance", "A multi-instance activity needs a loopCardinality or a collection."
        )
    data_item = xml.first("inputDataItem")
    element = zeebe.get("inputElement") if zeebe is not None else xml.extension("elementVariable")
    target, output = _output(xml, activity, zeebe, reading)
    return MultiInstance(
        sequential=is_true(xml.get("isSequential")),
        cardinality=reading.expression(xml, cardinality) if cardinality else None,
        collection=reading.expression(xml, collection) if collection else None,
        element=element
        or (clean(data_item.get("name")) or data_item.id if data_item is not None else None)
        or None,
        completion=reading.condition(xml, completion) if completion else None,
        behavior=xml.get("behavior", "All"),
        events=_behavior_events(xml, reading),
        output_collection=target,
        output_element=output,
        before=is_true(xml.extension("asyncBefore")) or is_true(xml.extension("async")),
        after=is_true(xml.extension("asyncAfter")),
    )


def _behavior_events(xml: XmlElement, reading: ProcessReading) -> tuple[tuple[Expression | None, Armed], ...]:
    behavior = xml.get("behavior", "All")
    if behavior == "Complex":
        found: list[tuple[Expression | None, Armed]] = []
        for definition in xml.all("complexBehaviorDefinition"):
            condition = reading.condition(definition, definition.child_text("condition") or "")
            event = definition.first("event")
            if event is not None:
                found += [(condition, armed) for armed in reading.thrown(event)]
        return tuple(found)
    reference = xml.get({"None": "noneBehaviorEventRef", "One": "oneBehaviorEventRef"}.get(behavior, ""))
    armed = reading.event(xml, reference) if reference else None
    return ((None, armed),) if armed is not None else ()


def _collection(
    xml: XmlElement, activity: XmlElement, zeebe: XmlElement | None, reading: ProcessReading
) -> str:
    if zeebe is not None and zeebe.get("inputCollection"):
        return zeebe.get("inputCollection")
    text = xml.extension("collection") or ""
    reference = xml.child_text("loopDataInputRef") or ""
    if not text and reference:
        name = _beyond(activity, reference, reading)
        return as_variable(name) if name is not None else marked(reference)
    return marked(text)


def marked(text: str) -> str:
    """Return a text as an expression: without marks it is the name of a variable."""
    computed = "${" in text or "#{" in text or text.startswith("=")
    return text if computed or not text else "${" + text.strip() + "}"


def as_variable(name: str) -> str:
    """Return an expression for a variable of any name."""
    if name.isascii() and name.isidentifier():
        return "${" + name + "}"
    return "${execution.getVariable('" + name.replace("\\", "\\\\").replace("'", "\\'") + "')}"


def _beyond(
    activity: XmlElement, reference: str, reading: ProcessReading, *, out: bool = False
) -> str | None:
    """Return the variable at the other end of a data input's (or output's) association, else its own."""
    tag, here, there = (
        ("dataOutputAssociation", "sourceRef", "targetRef")
        if out
        else ("dataInputAssociation", "targetRef", "sourceRef")
    )
    for association in activity.all(tag):
        if association.child_text(here) == reference and association.child_text(there):
            found = reading.data.find(association.child_text(there) or "")
            return found.names[0] if found is not None else None
    found = reading.data.find(reference)
    return found.names[0] if found is not None else None


def _output(
    xml: XmlElement, activity: XmlElement, zeebe: XmlElement | None, reading: ProcessReading
) -> tuple[str | None, Source | None]:
    """Return the variable in which results are gathered, and what each instance gives."""
    if zeebe is not None and zeebe.get("outputCollection"):
        text = zeebe.get("outputElement")
        return zeebe.get("outputCollection"), reading.expression(xml, text) if text else None
    reference, item = xml.child_text("loopDataOutputRef") or "", xml.first("outputDataItem")
    if not reference and item is None:
        return None, None
    target = _beyond(activity, reference, reading, out=True)
    if target is None or item is None:
        message = (
            "A gathered result needs an outputDataItem, and a loopDataOutputRef that names a data output."
        )
        reading.problem(xml, "multi-instance", message)
        return None, None
    names = tuple(dict.fromkeys((clean(item.get("name")) or item.id, item.id)))
    return target, DataSource((DataName(names, own=True),), optional=True)
