"""Every address of the project, from its URL resolver."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from django.urls import URLPattern, URLResolver, get_resolver
from django.urls.resolvers import RegexPattern

from bpm.access.page_rules import API, PAGE_RULES, page_rule
from bpm.access.rest_rules import REST_RULES, rest_rule
from bpm.access.rule import Rule

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
NOBODY = "00000000-0000-7000-8000-000000000000"
_OTHERS = {"int": "1", "slug": "nothing", "path": "1", "str": NOBODY, "uuid": NOBODY}
_BY_NAME = {"app_label": "auth", "url": "nothing/", "rest": "nothing", "name": "nothing"}


class Route(NamedTuple):
    """One address.

    Attributes:
        template: as the resolver has it.
        view: the callable.
    """

    template: str
    view: Callable[..., Any]

    @property
    def of_api(self) -> bool:
        return self.template.startswith(API)

    def rule(self, method: str) -> Rule | None:
        """Return the rule of a method."""
        if not self.of_api:
            return page_rule(self.template, method)
        return rest_rule(self.template.removeprefix(API), method)

    @property
    def methods(self) -> list[str]:
        """The methods that a resource answers; those of a page that a rule speaks of, others are refused."""
        cls = getattr(self.view, "view_class", None)
        if self.of_api:
            return [method for method in METHODS if hasattr(cls, method.lower())]
        return [method for method in METHODS if self.rule(method) is not None]

    def address(self, **arguments: str) -> str:
        """Return the address with ids of nothing, or with those given."""
        values = _BY_NAME | arguments

        def value(match: re.Match[str]) -> str:
            return values.get(match["name"], _OTHERS[match["kind"] or "str"])

        text = re.sub(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>", value, self.template.replace("(?P", ""))
        text = re.sub(r"\((?:\.\*|[\w|]+)\)", "", re.sub(r"<[^>]*>", "", text))
        return "/" + text.replace("^", "").replace("$", "").replace("\\Z", "").replace(".*)", "")


def routes() -> list[Route]:
    """Return all routes of the project, the administration's among them."""
    return list(_below(get_resolver().url_patterns, ""))


def _below(patterns: list[Any], prefix: str) -> Iterator[Route]:
    for pattern in patterns:
        text = prefix + _text(pattern)
        if isinstance(pattern, URLResolver):
            yield from _below(pattern.url_patterns, text)
        elif isinstance(pattern, URLPattern):
            yield Route(text, pattern.callback)


def _text(pattern: Any) -> str:
    text = str(pattern.pattern)
    return text.removeprefix("^") if isinstance(pattern.pattern, RegexPattern) else text


def unused_rules() -> set[str]:
    """Return REST addresses and page prefixes in the tables to which no route belongs."""
    templates = [route.template for route in routes()]
    rest = {f"{API}{one}" for one in REST_RULES} - set(templates)
    pages = {
        prefix
        for prefix in PAGE_RULES
        if not any(one == prefix or (prefix and one.startswith(prefix)) for one in templates)
    }
    return rest | pages
