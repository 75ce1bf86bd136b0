"""An explanation as a page tells it: what each token waits for in words, joins with their flows."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext, gettext_lazy

from bpm.queries.explanation import Explanation, JoinWait, TokenExplanation
from bpm.queries.shape import NodeShape

MOVED_BY: Final = {
    "user_task": gettext_lazy("A person completes the task."),
    "external_task": gettext_lazy("A worker fetches the task and completes it."),
    "lease": gettext_lazy("The worker that holds the lease completes the task, or its lease runs out."),
    "timer": gettext_lazy("The timer fires."),
    "message": gettext_lazy("The message comes."),
    "signal": gettext_lazy("The signal comes."),
    "condition": gettext_lazy("Variables make the condition true."),
    "events": gettext_lazy("One of the events comes."),
    "join": gettext_lazy("A token comes by every missing flow."),
    "stranded": gettext_lazy(
        "No token can come by a missing flow: only a modification of the instance moves it."
    ),
    "scope": gettext_lazy("Everything inside is done."),
    "call": gettext_lazy("The called instance ends."),
    "job": gettext_lazy("A cluster takes the job."),
    "running": gettext_lazy(
        "The handler reports its result, or its cluster vanishes and the job is taken back."
    ),
    "compensation": gettext_lazy("What it compensates is done."),
    "caller": gettext_lazy("The caller answers whether it catches what was thrown."),
    "incident": gettext_lazy("The incident is resolved by a retry."),
}
_SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class JoinLine:
    """One waiting join: `since` is when its first token came."""

    node_id: str
    wait: JoinWait
    since: datetime | None
    tokens: int
    flows: list[dict[str, Any]]


def wait_lines(
    explanation: Explanation, nodes: dict[str, NodeShape], opened: dict[str, datetime]
) -> dict[str, Any]:
    """Return the context that shows why an instance stands where it stands.

    Args:
        opened: join to when its first token came.
    """
    waiting = [token for token in explanation.tokens if token.join is None]
    joins: dict[str, list[tuple[TokenExplanation, JoinWait]]] = defaultdict(list)
    for token in explanation.tokens:
        if token.join is not None:
            joins[token.join.join_id].append((token, token.join))
    places = {token.token_id: token.node_id for token in explanation.tokens}
    return {
        "waits": [{"token": token, "moved_by": _moved_by(token)} for token in waiting[:_SHOWN]],
        "more_waits": max(len(waiting) - _SHOWN, 0),
        "joins": [_join(tokens, places, opened.get(join)) for join, tokens in joins.items()],
        "scopes": explanation.scopes,
        "deadlocked": [scope for scope in explanation.scopes if scope.deadlocked],
    }


def _moved_by(token: TokenExplanation) -> str:
    key = token.waits_for
    if token.external_task is not None and token.external_task.status == "LOCKED":
        key = "lease"
    elif token.job is not None and token.job.status == "RUNNING":
        key = "running"
    sentence = str(MOVED_BY.get(key, token.moved_by))
    return (
        gettext("First the instance is activated; then: %(what)s") % {"what": sentence}
        if token.suspended
        else sentence
    )


def _join(
    tokens: list[tuple[TokenExplanation, JoinWait]], places: dict[str, str], since: datetime | None
) -> JoinLine:
    token, wait = tokens[0]
    flows = [
        {
            "flow": flow.flow_id,
            "source": flow.source_node_id,
            "can_come": flow.can_come,
            "tokens": [{"id": token, "node": places.get(token)} for token in flow.tokens[:20]],
        }
        for flow in wait.missing
    ]
    return JoinLine(token.node_id, wait, since, len(tokens), flows)
