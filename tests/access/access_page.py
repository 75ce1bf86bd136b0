"""The generated part of docs/reference/access.md; `python -m tests.access.access_page` writes it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bpm.access.page_rules import API, PAGE_RULES
from bpm.access.permissions import ABOUT, DEFAULT_GROUPS, IMPLIED, Permission
from bpm.access.rest_rules import OTHERS, REST_RULES
from bpm.access.rule import Rule

MARK = "<!-- From here on generated from the rules by: python -m tests.access.access_page -->\n"
PAGE = Path(__file__).resolve().parents[2] / "docs/reference/access.md"


def render() -> str:
    """Return permissions, groups, and the rules of all addresses and pages."""
    return "\n".join(
        [
            *_permissions(),
            *_groups(),
            *_rules("REST addresses", f"Below `/{API}`.", REST_RULES),
            *_rules(
                "Pages",
                "A page has the rule of the longest beginning of its address that is listed.",
                PAGE_RULES,
            ),
        ]
    )


def page_now() -> str:
    """Return the page with its generated part as the rules are."""
    return PAGE.read_text().partition(MARK)[0] + MARK + "\n" + render()


def _permissions() -> list[str]:
    lines = ["## Permissions", "", "| permission | lets one | brings with it |", "| --- | --- | --- |"]
    for one in Permission:
        brings = IMPLIED.get(one, frozenset()) - {one}
        words = (
            "all others"
            if len(brings) == len(Permission) - 1
            else ", ".join(sorted(f"`{b}`" for b in brings))
        )
        lines.append(f"| `bpm.{one}` | {ABOUT[one][0].lower()}{ABOUT[one][1:]} | {words} |")
    return [*lines, ""]


def _groups() -> list[str]:
    lines = [
        "## Default groups",
        "",
        "`manage.py create_groups` makes them.",
        "",
        "| group | permission |",
        "| --- | --- |",
    ]
    for name, held in DEFAULT_GROUPS.items():
        lines.append(f"| {name} | {', '.join(sorted(f'`bpm.{one}`' for one in held))} |")
    return [*lines, ""]


def _rules(title: str, about: str, rules: Mapping[str, Mapping[str, Rule]]) -> list[str]:
    lines = [f"## {title}", "", about, "", "| address | method | any of | and |", "| --- | --- | --- | --- |"]
    for route, methods in rules.items():
        shown = "every other address" if route == OTHERS else f"`{_plain(route) or '/'}`"
        by_rule: dict[Rule, list[str]] = {}
        for method, rule in methods.items():
            by_rule.setdefault(rule, []).append(method)
        lines += [
            f"| {shown} | {' '.join(names)} | {_who(rule)} | {_more(rule)} |"
            for rule, names in by_rule.items()
        ]
    return [*lines, ""]


def _plain(route: str) -> str:
    return route.replace("<str:", "{").replace("<uuid:", "{").replace(">", "}")


def _who(rule: Rule) -> str:
    if rule.public:
        return "everybody"
    return ", ".join(f"`{one}`" for one in rule.permissions) or "whoever is logged in"


def _more(rule: Rule) -> str:
    return rule.note


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.support.settings")
    PAGE.write_text(page_now(), encoding="utf-8")
