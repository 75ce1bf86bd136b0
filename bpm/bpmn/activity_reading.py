"""What stands around an activity's work: loop, mappings, quantities (semantics §4, §9)."""

from __future__ import annotations

from typing import Any

from bpm.bpmn.tags import is_true
from bpm.core.expressions import Expression
from bpm.core.graph import Armed, MultiInstance, StandardLoop
from bpm.core.mappings import ListSource, MapSource, Source, VariableMapping
from bpm.core.reading import Reading
from bpm.core.xml import CAMUNDA, ZEEBE, XmlElement


def read_activity(xml: XmlElement, reading: Reading) -> dict[str, Any]:
    """Return the fields of `Activity` that do not depend on other elements, as keyword arguments."""
    mapped = next(xml.extensions("ioMapping", ZEEBE), None)
    return {
        "loop": _read_loop(xml, reading),
        "inputs": _read_mappings(xml, reading, "inputParameter", "input"),
        "outputs": _read_mappings(xml, reading, "outputParameter", "output"),
        "mappings_local": mapped is not None and mapped.first("output", ZEEBE) is not None,
        "start_quantity": _quantity(xml, "startQuantity"),
        "completion_quantity": _quantity(xml, "completionQuantity"),
        "for_compensation": is_true(xml.get("isForCompensation")),
    }


def _quantity(xml: XmlElement, name: str) -> int:
    text = xml.get(name, "1").strip()
    return int(text) if text.isdigit() else 1


def _read_mappings(
    xml: XmlElement, reading: Reading, camunda: str, zeebe: str
) -> tuple[VariableMapping, ...]:
    found: list[VariableMapping] = []
    for holder in xml.extensions("inputOutput", CAMUNDA):
        for parameter in holder.all(camunda, CAMUNDA):
            name = parameter.get("name").strip()
            found.append(VariableMapping((name,), _read_source(parameter, reading)))
    for holder in xml.extensions("ioMapping", ZEEBE):
        for entry in holder.all(zeebe, ZEEBE):
            path = tuple(entry.get("target").strip().split("."))
            found.append(VariableMapping(path, reading.expression(entry, entry.get("source"))))
    for mapping in found:
        if not all(mapping.target):
            reading.problem(xml, "mapping-target", "A mapping needs the name of the variable it sets.")
    return tuple(found)


def _read_source(xml: XmlElement, reading: Reading) -> Source:
    """Return the value of a Camunda parameter: text with expressions, a list, a map, or a script."""
    for child in xml.children:
        if child.space != CAMUNDA:
            continue
        if child.tag == "list":
            return ListSource(tuple(_read_source_of(item, reading) for item in child.children))
        if child.tag == "map":
            return MapSource(
                tuple(
                    (reading.expression(entry, entry.get("key")), _read_source(entry, reading))
                    for entry in child.children
                )
            )
        if child.tag == "script":
            return _read_script(child, reading)
        if child.tag in ("value", "string"):
            return reading.expression(child, child.text)
        message = f"The element {child.tag} in a mapping is not supported."
        reading.problem(child, "unsupported-element", message)
    return reading.expression(xml, xml.text)


def _read_source_of(item: XmlElement, reading: Reading) -> Source:
    return _read_source(XmlElement(tag="item", space=CAMUNDA, children=(item,), line=item.line), reading)


def _read_script(xml: XmlElement, reading: Reading) -> Expression:
    language = xml.get("scriptFormat").strip().lower()
    text = xml.text.strip()
    if xml.get("resource"):
        message = "A mapping cannot read a script from a separate resource."
        reading.problem(xml, "unsupported-element", message)
        return reading.expression(xml, "")
    if language in ("juel", "el"):
        return reading.expression(xml, text if "${" in text or "#{" in text else "${" + text + "}")
    if language == "feel":
        return reading.expression(xml, text if text.startswith("=") else "=" + text)
    reading.problem(xml, "script-format", f"A mapping cannot run a script of format {language!r}.")
    return reading.expression(xml, "")


def _read_loop(xml: XmlElement, reading: Reading) -> MultiInstance | StandardLoop | None:
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
    return None if multi is None else _read_multi(multi, reading)


def _read_multi(xml: XmlElement, reading: Reading) -> MultiInstance:
    zeebe = next(xml.extensions("loopCharacteristics", ZEEBE), None)
    cardinality = xml.child_text("loopCardinality")
    completion = xml.child_text("completionCondition")
    collection = _collection(xml, zeebe)
    if not cardinality and not collection:
        reading.problem(
            xml, "multi-instance", "A multi-instance activity needs a loopCardinality or a collection."
        )
    output = zeebe.get("outputElement") if zeebe is not None else ""
    data_item = xml.first("inputDataItem")
    element = zeebe.get("inputElement") if zeebe is not None else xml.extension("elementVariable")
    return MultiInstance(
        sequential=is_true(xml.get("isSequential")),
        cardinality=reading.expression(xml, cardinality) if cardinality else None,
        collection=reading.expression(xml, collection) if collection else None,
        element=element or (data_item.get("name") or data_item.id if data_item is not None else None) or None,
        completion=reading.condition(xml, completion) if completion else None,
        behavior=xml.get("behavior", "All"),
        events=_behavior_events(xml, reading),
        output_collection=(zeebe.get("outputCollection") or None) if zeebe is not None else None,
        output_element=reading.expression(xml, output) if output else None,
        before=is_true(xml.extension("asyncBefore")) or is_true(xml.extension("async")),
        after=is_true(xml.extension("asyncAfter")),
    )


def _behavior_events(xml: XmlElement, reading: Reading) -> tuple[tuple[Expression | None, Armed], ...]:
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


def _collection(xml: XmlElement, zeebe: XmlElement | None) -> str:
    if zeebe is not None and zeebe.get("inputCollection"):
        return zeebe.get("inputCollection")
    text = xml.extension("collection") or xml.child_text("loopDataInputRef") or ""
    marked = "${" in text or "#{" in text or text.startswith("=")
    return text if marked or not text else "${" + text.strip() + "}"
