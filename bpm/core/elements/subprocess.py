"""Embedded subprocess: a scope of its own, for which the token waits (semantics §4). Deviations: none.

A transaction is one that can be cancelled (semantics §8). An event subprocess is read here too; no token ever enters
it, its start event opens it.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core.arming import arm_handlers
from bpm.core.elements.element import Element
from bpm.core.graph import Activity
from bpm.core.ids import Id
from bpm.core.layers import open_scope
from bpm.core.reading import Reading
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import OWN, XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class SubProcess(Activity):
    """A subprocess.

    Attributes:
        triggered: whether it is an event subprocess.
        saga: `local` or `global` in saga mode, else None.
    """

    triggered: bool = False
    saga: str | None = None


class SubProcessElement(Element[SubProcess]):
    """Opens the scope and starts what is inside."""

    tags = ("subProcess", "transaction")

    def read(self, xml: XmlElement, reading: Reading) -> SubProcess:
        """Return the node; its inside is read as a scope."""
        return SubProcess(
            **reading.activity(xml),
            triggered=xml.flag("triggeredByEvent"),
            saga=xml.extension("saga", OWN),
        )

    def enter(self, run: Run, node: SubProcess, token: Token) -> None:
        """Emit ScopeEntered, TokenBlocked, then tokens at the starts."""
        scope = self.open(run, node, token)
        for start in run.graph.scopes[node.id].starts:
            run.create_token(start, scope, "subprocess", mode=token.mode)

    def open(self, run: Run, node: SubProcess, token: Token) -> Id:
        """Emit ScopeEntered, TokenBlocked; arm event subprocesses."""
        scope = open_scope(run, "subprocess", node, token)
        arm_handlers(run, scope)
        run.moved[scope] = None
        return scope
