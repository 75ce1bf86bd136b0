"""Who may open which page and send which form: the one table that `bpm.access.pages` enforces.

A page has the rule of the longest beginning of its route that is listed; a page or method without one is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bpm.access.rule import ADMINISTER, COMPLETE, LOGGED_IN, PUBLIC, START, VIEW, Rule, needs

API: Final = "api/v1/"
"""Where the REST interface is; it judges for itself, by `bpm.access.rest_rules`."""

_READ: Final = "GET"
_PEOPLE: Final = needs(
    COMPLETE, START, VIEW, note="shows one's own and offered tasks, all to those who may view"
)
_THEIRS: Final = "its assignee or, unassigned, a candidate"

PAGE_RULES: Final[Mapping[str, Mapping[str, Rule]]] = {
    "": {_READ: LOGGED_IN},
    "accounts/": {_READ: LOGGED_IN, "POST": LOGGED_IN},
    "accounts/login/": {_READ: PUBLIC, "POST": PUBLIC},
    "accounts/tenant/": dict.fromkeys(
        (_READ, "POST"), Rule(public=True, note="whoever is logged in, among the own")
    ),
    "accounts/logout/": {"POST": PUBLIC},
    "i18n/": {"POST": PUBLIC},
    "health": {_READ: PUBLIC},
    "ready": {_READ: PUBLIC},
    "metrics": {_READ: Rule(public=True, note="superusers, or the token of BPM_METRICS_TOKEN")},
    "cockpit/": {_READ: needs(VIEW)},
    "cockpit/zone/": {_READ: PUBLIC},
    "tasks/": {_READ: _PEOPLE},
    "tasks/start/": {
        _READ: needs(START),
        "POST": needs(
            START, starts=True, note="of the process, and among its candidate starters if it names any"
        ),
    },
    "tasks/<uuid:task_id>/": {_READ: _PEOPLE, "POST": needs(COMPLETE, note=_THEIRS)},
    "admin/": {
        _READ: needs(ADMINISTER, note="and a staff account with the model's permission"),
        "POST": needs(ADMINISTER, note="and a staff account with the model's permission"),
    },
    "admin/login/": {_READ: PUBLIC, "POST": PUBLIC},
    "admin/logout/": {"POST": PUBLIC},
}
_SUBJECTS: Final[Mapping[str, str]] = {"task_id": "user_task", "task": "user_task"}
"""Argument of a page's route to what it is the id of."""


def page_rule(route: str, method: str) -> Rule | None:
    """Return the rule of a page by its route; HEAD is GET. None where there is none."""
    prefix = rule_prefix(route)
    return None if prefix is None else PAGE_RULES[prefix].get("GET" if method == "HEAD" else method)


def rule_prefix(route: str) -> str | None:
    """Return which entry of the table a route falls under. The empty one is for the empty route alone."""
    if route in PAGE_RULES:
        return route
    found = [prefix for prefix in PAGE_RULES if prefix.endswith("/") and route.startswith(prefix)]
    return max(found, key=len, default=None)


def subject_of(arguments: Mapping[str, object]) -> tuple[str, str]:
    """Return what a page is about, and its id; two empty texts where the rules know nothing of it."""
    for name, kind in _SUBJECTS.items():
        if name in arguments:
            return kind, str(arguments[name])
    return "", ""
