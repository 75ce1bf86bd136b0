"""Ad-hoc subprocess: what is inside needs no flow to be started (semantics §4). Deviations: none.

At entry everything without incoming flow starts, in sequential ordering the first one only; the next one starts when
nothing goes on any more. The completion condition is asked whenever an activity inside is left: once it is true nothing
new starts, and what goes on is ended unless it may go on (`cancelRemainingInstances="false"`).
"""

from __future__ import annotations

from dataclasses import dataclass

from bpm.core import events as e
from bpm.core.arming import arm_handlers, disarm_handlers
from bpm.core.elements.element import Element
from bpm.core.ending import end_inside
from bpm.core.expressions import Expression
from bpm.core.graph import Activity
from bpm.core.ids import Id
from bpm.core.layers import AD_HOC, open_scope
from bpm.core.reading import Reading
from bpm.core.rows import Scope
from bpm.core.run import Run
from bpm.core.token import Token
from bpm.core.xml import OWN, XmlElement


@dataclass(frozen=True, slots=True, kw_only=True)
class AdHocSubProcess(Activity):
    """An ad-hoc subprocess.

    Attributes:
        cancels_remaining: whether what still goes on ends with it.
        saga: `local` or `global` in saga mode, else None.
    """

    sequential: bool = False
    completion: Expression | None = None
    cancels_remaining: bool = True
    saga: str | None = None

    @property
    def watches(self) -> bool:
        """Whether it has a condition to ask."""
        return self.completion is not None


class AdHocSubProcessElement(Element[AdHocSubProcess]):
    """Opens the scope, starts what is inside, and knows when that is enough."""

    tags = ("adHocSubProcess",)

    def read(self, xml: XmlElement, reading: Reading) -> AdHocSubProcess:
        """Return the node; its inside is read as a scope."""
        condition = xml.child_text("completionCondition")
        return AdHocSubProcess(
            **reading.activity(xml),
            sequential=xml.get("ordering").strip() == "Sequential",
            completion=reading.condition(xml, condition) if condition else None,
            cancels_remaining=xml.get("cancelRemainingInstances", "true").strip().lower()
            not in ("false", "0"),
            saga=xml.extension("saga", OWN),
        )

    def enter(self, run: Run, node: AdHocSubProcess, token: Token) -> None:
        """Emit ScopeEntered, TokenBlocked, then tokens at what starts."""
        scope = self.open(run, node, token)
        starts = run.graph.scopes[node.id].starts
        for start in starts[:1] if node.sequential else starts:
            run.create_token(start, scope, "adHoc", mode=token.mode)

    def open(self, run: Run, node: AdHocSubProcess, token: Token) -> Id:
        """Emit ScopeEntered, TokenBlocked; arm event subprocesses."""
        scope = open_scope(run, AD_HOC, node, token)
        arm_handlers(run, scope)
        run.moved[scope] = None
        return scope

    def emptied(self, run: Run, node: AdHocSubProcess, row: Scope) -> bool:
        """Start the next one, in sequential ordering."""
        starts = run.graph.scopes[node.id].starts
        if not node.sequential or row.closing or row.begun >= len(starts):
            return False
        assert row.outer_token is not None, "a token waits for the subprocess"
        run.create_token(starts[row.begun], row.id, "adHoc", mode=run.token(row.outer_token).mode)
        return True

    def satisfied(self, run: Run, node: AdHocSubProcess, token: Token) -> bool:
        """Ask the completion condition, as seen from an activity inside."""
        closing = run.state.scopes[token.scope].closing
        return not closing and node.completion is not None and run.truth(node.completion, token)

    def close(self, run: Run, node: AdHocSubProcess, scope: Id) -> None:
        """Emit ScopeClosing; end what still goes on, unless it may go on."""
        run.emit(e.ScopeClosing(scope=scope, node=node.id, reason="condition"))
        disarm_handlers(run, scope)
        run.moved[scope] = None
        if node.cancels_remaining:
            end_inside(run, scope, "completionCondition")

    def reads(self, node: AdHocSubProcess) -> frozenset[str] | None:
        """Return the variables of the completion condition."""
        return node.completion.names if node.completion is not None else frozenset()
