"""A node that cannot do its work: not a refusal of the command, but an incident of the process."""

from __future__ import annotations


class NodeFailed(Exception):
    """The token cannot go on at this node.

    Attributes:
        kind: incident kind: `ExpressionFailed`, `NoFlow`, `UncaughtError`, `TimerInvalid` ….
        message: one sentence for the operator.
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
