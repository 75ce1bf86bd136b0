"""The access rules at the door of the pages, the administration among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.urls import reverse

from bpm.access.caller import Caller, enter, one_request
from bpm.access.judging import Forbidden, Hidden, judge
from bpm.access.loading import Asked, NoTenant, load_caller
from bpm.access.page_rules import API, PAGE_RULES, page_rule, rule_prefix, subject_of
from bpm.access.spending import INSTANCES_RETRY_S, exhausted_instances
from bpm.access.tenant_choice import SESSION_KEY, chosen_tenant

_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_METHODS: Final = (*_SAFE, "POST", "PUT", "PATCH", "DELETE")


class PageAccess:
    """Middleware: asks the rule of each page before its view runs, and enters the caller."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Answer a request; its caller is forgotten with it."""
        with one_request():
            return self.get_response(request)

    def process_view(
        self,
        request: HttpRequest,
        view: Callable[..., HttpResponseBase],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> HttpResponse | None:
        """Let a request pass, or send it to the log-in page. At most one statement besides session and user.

        Raises:
            PermissionDenied: the caller may not, or the page has no rule.
            Http404: to this caller there is no such thing.
        """
        match = request.resolver_match
        route = match.route if match is not None else ""
        method = str(request.method)
        if route.startswith(API) or method not in _METHODS:
            return None
        rule = page_rule(route, "GET" if method == "OPTIONS" else method)
        if rule is None:
            return _without_rule(route)
        if rule.public:
            return None
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        try:
            caller = _load(request, kwargs if method not in _SAFE else {})
            judge(rule._replace(subject=subject_of(kwargs)[0]), caller, writes=method not in _SAFE)
        except NoTenant as error:
            return _choose(request, error)
        except Forbidden as error:
            raise PermissionDenied(str(error)) from None
        except Hidden:
            raise Http404 from None
        enter(caller)
        return _no_room(request) if rule.starts and _is_full(caller, method) else None


def _choose(request: HttpRequest, error: NoTenant) -> HttpResponse:
    """Let a member of several tenants choose one; a name that is not among them is refused."""
    if "HTTP_X_TENANT_ID" in request.META:
        raise PermissionDenied(str(error)) from None
    return redirect_to_login(request.get_full_path(), login_url=reverse("tenant"))


def _is_full(caller: Caller, method: str) -> bool:
    return method not in _SAFE and exhausted_instances(caller) is not None


def _no_room(request: HttpRequest) -> HttpResponse:
    answer = render(request, "429.html", status=429)
    answer["Retry-After"] = str(INSTANCES_RETRY_S)
    return answer


def _without_rule(route: str) -> HttpResponse:
    prefix = rule_prefix(route)
    if prefix is None:
        raise PermissionDenied(f"There is no access rule for the page {route!r} (bpm/access/page_rules.py).")
    return HttpResponseNotAllowed([*PAGE_RULES[prefix]])


def _load(request: HttpRequest, arguments: Mapping[str, Any]) -> Caller:
    asked = Asked(chosen_tenant(request), *subject_of(arguments))
    try:
        return load_caller(request.user, asked)
    except NoTenant:
        if request.session.pop(SESSION_KEY, None) is None:
            raise
        # What the session has chosen is no longer the user's.
        return load_caller(request.user, asked._replace(tenant=None))
