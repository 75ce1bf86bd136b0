"""Data associations of activities and events: what is copied before the work, and what after it (semantics §9)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from bpm.bpmn.data_names import clean, is_only_drawn
from bpm.bpmn.languages import language_text
from bpm.bpmn.tags import SUBPROCESSES
from bpm.core.expressions import Expression
from bpm.core.mappings import DataName, DataSource, VariableMapping
from bpm.core.xml import XmlElement

if TYPE_CHECKING:
    from bpm.bpmn.process_reading import ProcessReading


class _End(NamedTuple):
    """One end of an association: the id as written, and the variable."""

    id: str
    name: DataName


class NodeData(NamedTuple):
    """What the data associations of a node do; see `Node` for the fields."""

    inputs: tuple[VariableMapping, ...] = ()
    outputs: tuple[VariableMapping, ...] = ()
    local_names: frozenset[str] = frozenset()
    payload: tuple[str, ...] = ()
    input_sets: tuple[frozenset[str], ...] = ()


def read_data(xml: XmlElement, reading: ProcessReading, *, skip: frozenset[str] = frozenset()) -> NodeData:
    """Return the data of a node; what is wrong is reported.

    Args:
        skip: ids of data outputs that are gathered by a loop instead.
    """
    inputs = list(_read_all(xml, "dataInputAssociation", reading))
    outputs = [
        (association, mapping)
        for association, mapping in _read_all(xml, "dataOutputAssociation", reading)
        if association.child_text("sourceRef") not in skip
    ]
    properties = {name.names[0] for one in xml.all("property") if (name := reading.data.find(one.id))}
    taken = [source for _, mapping in outputs for source in _sources(mapping) if source.own]
    taken += [DataName(_names(one, reading)) for one in _outputs(xml) if one.id in skip]
    taken += [DataName(_names(item, reading)) for item in _gathered_items(xml)]
    given = frozenset(name for source in taken for name in source.names)
    fed = {association.child_text("targetRef") or "" for association, _ in inputs}
    names = {one.id: _names(one, reading)[0] for one in _inputs(xml) if one.id in fed}
    return NodeData(
        tuple(mapping for _, mapping in inputs),
        tuple(mapping for _, mapping in outputs),
        given if xml.tag in SUBPROCESSES else given | properties,
        tuple(names.values()),
        _read_sets(xml, names),
    )


def _specified(xml: XmlElement, tag: str) -> Iterator[XmlElement]:
    for holder in (xml, *xml.all("ioSpecification")):
        yield from (one for one in holder.all(tag) if one.id)


def _inputs(xml: XmlElement) -> Iterator[XmlElement]:
    return _specified(xml, "dataInput")


def _outputs(xml: XmlElement) -> Iterator[XmlElement]:
    return _specified(xml, "dataOutput")


def _gathered_items(xml: XmlElement) -> Iterator[XmlElement]:
    for loop in xml.all("multiInstanceLoopCharacteristics"):
        yield from loop.all("outputDataItem")


def _names(xml: XmlElement, reading: ProcessReading) -> tuple[str, ...]:
    found = reading.data.find(xml.id)
    return (
        found.names if found is not None else tuple(dict.fromkeys((clean(xml.get("name")) or xml.id, xml.id)))
    )


def _sources(mapping: VariableMapping) -> tuple[DataName, ...]:
    return mapping.source.sources if isinstance(mapping.source, DataSource) else ()


def _read_sets(xml: XmlElement, names: dict[str, str]) -> tuple[frozenset[str], ...]:
    """Return what each input set needs of what the process feeds; none where one of them needs nothing."""
    sets: list[frozenset[str]] = []
    for holder in (xml, *xml.all("ioSpecification")):
        for one in holder.all("inputSet"):
            refs = {ref.text.strip() for ref in one.all("dataInputRefs")}
            for tag in ("optionalInputRefs", "whileExecutingInputRefs"):
                refs -= {ref.text.strip() for ref in one.all(tag)}
            sets.append(frozenset(names[ref] for ref in refs if ref in names))
    return tuple(sets) if all(sets) else ()


def _read_all(
    xml: XmlElement, tag: str, reading: ProcessReading
) -> Iterator[tuple[XmlElement, VariableMapping]]:
    own = {one.id: DataName(_names(one, reading), own=True) for one in _outputs(xml)}
    for association in xml.all(tag):
        if is_only_drawn(association, reading.elements):
            message = f"The {tag} has only one end: it is drawn, nothing is copied."
            reading.warning(association, "data-association", message)
        elif any(reading.data.is_store(end.text) for end in association.children if end.tag.endswith("Ref")):
            message = f"The {tag} leads to a data store, which is drawn: nothing is copied."
            reading.warning(association, "data-association", message)
        else:
            for mapping in _read(association, own, reading):
                yield association, mapping


def _read(
    association: XmlElement, own: Mapping[str, DataName], reading: ProcessReading
) -> Iterator[VariableMapping]:
    """Yield what one association copies; `own` are the data outputs of its node by id."""
    sources = [_end(association, one.text, own, reading) for one in association.all("sourceRef")]
    found = [one for one in sources if one is not None]
    reference = association.child_text("targetRef")
    target = _end(association, reference, {}, reading) if reference else None
    if len(found) < len(sources) or (reference and target is None):
        return
    transformation = association.first("transformation")
    assignments = list(association.all("assignment"))
    if assignments:
        for one in assignments:
            yield from _assignment(one, target, found, own, reading)
    elif target is not None:
        if transformation is None and len(found) > 1:
            message = "A data association with several sources needs a transformation."
            reading.problem(association, "data-association", message)
            return
        expression = (
            _expression(transformation, reading, computed=True) if transformation is not None else None
        )
        yield VariableMapping((target.name.names[0],), _source(found, expression, own))


def _end(
    xml: XmlElement, reference: str, own: Mapping[str, DataName], reading: ProcessReading
) -> _End | None:
    name = own.get(reference.strip()) or reading.data.find(reference)
    if name is None:
        message = (
            f"The data association names {reference.strip()!r}, which is no data element of the process."
        )
        reading.problem(xml, "dangling-reference", message)
        return None
    return _End(reference.strip(), name)


def _source(ends: list[_End], expression: Expression | None, own: Mapping[str, DataName]) -> DataSource:
    """Return what is copied: outputs that the expression reads are sources too, though none of the ends."""
    sources = dict.fromkeys(end.name for end in ends)
    if expression is None:
        return DataSource(tuple(sources))
    read = expression.names or frozenset()
    sources |= dict.fromkeys(name for name in own.values() if not read.isdisjoint(name.names))
    aliases = {end.id: end.name for end in ends} | {one: name for name in sources for one in name.names}
    return DataSource(tuple(sources), expression, tuple(aliases.items()))


def _assignment(
    xml: XmlElement,
    target: _End | None,
    sources: list[_End],
    own: Mapping[str, DataName],
    reading: ProcessReading,
) -> Iterator[VariableMapping]:
    given, wanted = xml.first("from"), xml.child_text("to") or ""
    if given is None or not given.text.strip():
        reading.problem(xml, "empty-expression", "An assignment needs what it assigns (from).")
        return
    by_id = {end.id: end for end in sources}
    named = by_id.get(given.text.strip())
    path = _path(wanted, target, reading)
    if path is None:
        message = f"The assignment's target {wanted!r} is no variable and no path in one."
        reading.problem(xml, "mapping-target", message)
    elif named is not None:
        yield VariableMapping(path, _source([named], None, own))
    else:
        expression = _expression(given, reading, computed=False)
        if expression is not None:
            yield VariableMapping(path, _source(sources, expression, own))


def _path(text: str, target: _End | None, reading: ProcessReading) -> tuple[str, ...] | None:
    bare = text.strip().removeprefix("=")
    if bare.startswith(("${", "#{")) and bare.endswith("}"):
        bare = bare[2:-1]
    bare = bare.strip()
    if not bare:
        return (target.name.names[0],) if target is not None else None
    known = reading.data.find(bare)
    if known is not None:
        return (known.names[0],)
    first, *rest = bare.split(".")
    known = reading.data.find(first)
    path = (known.names[0] if known is not None else first, *rest)
    return path if all(part and part.strip() == part and "(" not in part for part in path) else None


def _expression(xml: XmlElement, reading: ProcessReading, *, computed: bool) -> Expression | None:
    """Return a formal expression; `computed`: text without marks is no constant."""
    text = language_text(xml, reading)
    if text is None:
        return None
    return reading.condition(xml, text) if computed else reading.expression(xml, text)
