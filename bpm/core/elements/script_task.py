"""Script task (semantics §9).

A script in an expression language runs in the command; another format is run, as a job, by the handler registered for
it. Deviations: none.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.elements.element import Element
from bpm.core.execution import to_storable
from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed
from bpm.core.graph import Activity
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import XmlElement

_JUEL = frozenset({"juel", "el"})
_FEEL = frozenset({"feel"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTask(Activity):
    """A script task.

    Attributes:
        format: lower case; empty where none is declared.
        script: as written; what a handler gets.
        expression: the compiled script, None where a handler runs it.
    """

    format: str = ""
    script: str = ""
    expression: Expression | None = None
    result_variable: str | None = None


class ScriptTaskElement(Element[ScriptTask]):
    """Evaluates the script, or hands it to a handler."""

    tags = ("scriptTask",)

    def read(self, xml: XmlElement, reading: Reading) -> ScriptTask:
        """Return the node from `script` and `scriptFormat`, or from `zeebe:script`."""
        zeebe = next(xml.extensions("script", "zeebe"), None)
        if zeebe is not None:
            text, form = zeebe.get("expression"), "feel"
            result = zeebe.get("resultVariable") or None
        else:
            text, form = xml.child_text("script") or "", xml.get("scriptFormat").strip().lower()
            result = xml.extension("resultVariable")
        expression = None
        stripped = text.strip()
        marked = "${" in stripped or "#{" in stripped or stripped.startswith("=")
        if form in _JUEL:
            source = stripped if marked else "${" + stripped + "}"
            expression = reading.expression(xml, source, effects=True)
        elif form in _FEEL:
            expression = reading.expression(xml, stripped if stripped.startswith("=") else "=" + stripped)
        elif not form and marked:
            expression = reading.expression(xml, stripped, effects=True)
        return ScriptTask(
            **reading.activity(xml), format=form, script=text, expression=expression, result_variable=result
        )

    def enter(self, run: Run, node: ScriptTask, token: Token) -> None:
        """Evaluate and leave, or create the job."""
        if node.expression is None:
            if not run.context.has_handler("script", node.format):
                raise NodeFailed(
                    "NoHandler", f"No handler is registered for scripts of format {node.format!r}."
                )
            run.create_job(node, token, "handler", f"script:{node.format}")
            return
        value = run.evaluate(node.expression, token)
        if node.result_variable:
            run.keep_result(token, to_storable(node.result_variable, value))
        run.leave(node, token)

    def reads(self, node: ScriptTask) -> frozenset[str] | None:
        """Return the variables of the script and the result variable."""
        names = frozenset({node.result_variable} if node.result_variable else ())
        if node.expression is None:
            return names
        return None if node.expression.names is None else names | node.expression.names

    def rests(self, node: ScriptTask) -> bool:
        """Unless it is an expression."""
        return node.expression is None
