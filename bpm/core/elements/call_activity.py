"""Call activity: an instance of another process, for which the token waits (semantics §4). Deviations: none.

The called instance gets its id here and starts after the commit; what is called is looked up then. Its end, an error or
an escalation come back as commands of their own.
"""

from __future__ import annotations

from typing import Any

from bpm.core import events as e
from bpm.core.between import CallProcess
from bpm.core.calls import CallActivity, CallMapping, variables_in
from bpm.core.elements.element import Element
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token, Wait
from bpm.core.xml import ZEEBE, XmlElement

_VERSIONED = {"version": "calledElementVersion", "versionTag": "calledElementVersionTag"}
_BINDINGS = ("latest", "deployment", *_VERSIONED)
_ALL = CallMapping(None, None, "")


class CallActivityElement(Element[CallActivity]):
    """Calls a process and waits for its end."""

    tags = ("callActivity",)

    def read(self, xml: XmlElement, reading: Reading) -> CallActivity:
        """Return the node: `calledElement` with Camunda's mappings, or `zeebe:calledElement`."""
        zeebe = next(xml.extensions("calledElement", ZEEBE), None)
        if zeebe is not None:
            return _read_zeebe(xml, zeebe, reading)
        called = xml.get("calledElement").strip()
        if not called:
            reading.problem(xml, "called-element", "A call activity says what it calls (calledElement).")
        binding = xml.extension("calledElementBinding") or (
            "deployment" if _says(xml, "sameDeployment") else "latest"
        )
        version = xml.extension(_VERSIONED.get(binding, ""))
        _check_binding(xml, reading, binding, version)
        common = reading.activity(xml)
        keys = [one.get("businessKey") for one in xml.extensions("in") if one.get("businessKey")]
        if _says(xml, "inheritBusinessKey"):
            keys.append("${execution.processBusinessKey}")
        inherited = (_ALL,) if _says(xml, "inheritVariables") else ()
        return CallActivity(
            **common,
            process=reading.expression(xml, called if _computed(called) else called.rpartition(":")[2]),
            binding=binding,
            version=reading.expression(xml, version) if version else None,
            business_key=reading.expression(xml, keys[0]) if keys else None,
            passed=(*inherited, *_read_mappings(xml, reading, "in"), *_data_in(common)),
            returned=(*_read_mappings(xml, reading, "out"), *_data_out(common)),
        )

    def enter(self, run: Run, node: CallActivity, token: Token) -> None:
        """Emit CallStarted, TokenBlocked."""
        process = _text(run, node.process, token)
        if not process:
            raise NodeFailed("ExpressionFailed", f"What {node.id} calls has no name.")
        instance = run.state.instance
        content = CallProcess(
            process=process,
            binding=node.binding,
            version=_text(run, node.version, token),
            caller=instance.definition,
            tenant=instance.tenant,
            business_key=_text(run, node.business_key, token),
            variables=variables_in(run, node, token),
            parent_instance=instance.id,
            parent_token=token.id,
            root=instance.root,
        )
        called = run.new_id()
        run.emit(e.CallStarted(token=token.id, node=node.id, called=called, process=process))
        run.block(run.token(token.id), Wait.CALL)
        run.send(called, content)

    def rests(self, node: CallActivity) -> bool:
        """Always."""
        del node
        return True

    def reads(self, node: CallActivity) -> frozenset[str] | None:
        """Return the variables that are passed, and those of its expressions."""
        names: set[str] = set()
        expressions = [node.process, node.version, node.business_key]
        for mapping in node.passed:
            if mapping.everything:
                return None
            names |= {mapping.name} if mapping.name is not None else set()
            expressions.append(mapping.expression)
        for expression in expressions:
            if expression is not None:
                if expression.names is None:
                    return None
                names |= expression.names
        return frozenset(names)


def _read_zeebe(xml: XmlElement, zeebe: XmlElement, reading: Reading) -> CallActivity:
    binding = zeebe.get("bindingType") or "latest"
    tag = zeebe.get("versionTag") or None
    _check_binding(xml, reading, binding, tag)
    common = reading.activity(xml)
    called = zeebe.get("processId").strip()
    if not called:
        reading.problem(xml, "called-element", "A call activity says what it calls (processId).")
    returns_all = zeebe.get("propagateAllChildVariables", "true") != "false" or common["mappings_local"]
    return CallActivity(
        **common,
        process=reading.expression(xml, called),
        binding=binding,
        version=reading.expression(xml, tag) if tag else None,
        passed=(_ALL._replace(local=zeebe.get("propagateAllParentVariables", "true") == "false"),),
        returned=(_ALL,) if returns_all else _data_out(common),
    )


def _data_in(common: dict[str, Any]) -> tuple[CallMapping, ...]:
    """Return data inputs as mappings: the called process gets them under their names."""
    return tuple(CallMapping(name, None, name, local=True, optional=True) for name in common["payload"])


def _data_out(common: dict[str, Any]) -> tuple[CallMapping, ...]:
    """Return data outputs likewise."""
    names = sorted(common["local_names"])
    return tuple(CallMapping(name, None, name, optional=True) for name in names)


def _check_binding(xml: XmlElement, reading: Reading, binding: str, version: str | None) -> None:
    if binding not in _BINDINGS:
        reading.problem(xml, "call-binding", f"The binding {binding!r} is none of {', '.join(_BINDINGS)}.")
    elif binding in _VERSIONED and not version:
        reading.problem(xml, "call-binding", f"The binding {binding} needs {_VERSIONED[binding]}.")
    elif binding == "version" and version and not _computed(version) and not version.strip().isdigit():
        reading.problem(xml, "call-binding", f"The version {version!r} is no whole number.")


def _read_mappings(xml: XmlElement, reading: Reading, tag: str) -> tuple[CallMapping, ...]:
    return tuple(_read_mapping(one, reading) for one in xml.extensions(tag) if not one.get("businessKey"))


def _read_mapping(xml: XmlElement, reading: Reading) -> CallMapping:
    local = xml.get("local") == "true"
    if xml.get("variables") == "all":
        return _ALL._replace(local=local)
    name, text, target = xml.get("source"), xml.get("sourceExpression"), xml.get("target")
    if not (name or text) or not target:
        message = f'The mapping {xml.tag} of a call needs variables="all", or a source and a target.'
        reading.problem(xml, "call-mapping", message)
    expression = reading.expression(xml, text) if text else None
    return CallMapping(None if expression is not None else name, expression, target, local)


def _says(xml: XmlElement, name: str) -> bool:
    return (xml.extension(name) or "").strip().lower() in ("true", "1")


def _computed(text: str) -> bool:
    return "${" in text or "#{" in text or text.startswith("=")


def _text(run: Run, expression: Expression | None, token: Token) -> str | None:
    value: Any = run.evaluate(expression, token) if expression is not None else None
    return None if value is None else str(value).strip() or None
