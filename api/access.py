"""The access rules at the API's door: every view asks here, none asks elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from api.rates import require_room, spend_request
from api.request_errors import NotAllowed
from api.tenancy import asked_tenant
from bpm.access.caller import Caller, enter
from bpm.access.judging import Forbidden, Hidden, judge
from bpm.access.loading import Asked, NoTenant, load_caller
from bpm.access.rest_rules import REST_RULES, rest_rule
from bpm.access.rule import Rule
from bpm.engine import errors

_MISSING: Final[Mapping[str, type[errors.NotFound]]] = {
    "instance": errors.InstanceNotFound,
    "definition": errors.DefinitionNotFound,
    "deployment": errors.DeploymentNotFound,
    "user_task": errors.TaskNotFound,
    "external_task": errors.TaskNotFound,
    "token": errors.TokenNotFound,
    "job": errors.JobNotFound,
    "timer": errors.TimerNotFound,
    "incident": errors.IncidentNotFound,
}


class ByRule(BasePermission):
    """Asks the rule of the address; enters the caller, whose tenant, rights and limits count until the answer."""

    def has_permission(self, request: Request, view: Any) -> bool:
        """Let a request pass. At most one statement, and one more for each limit.

        Raises:
            NotAllowed: the caller may not.
            NotFound: to this caller there is no such thing.
            RateExceeded, InstancesExhausted: it uses as much as it may.
        """
        method = str(request.method)
        if not hasattr(view, method.lower()):
            return True  # the view answers that the method is not for this address
        rule = _rule_of(view, method)
        if rule is None:
            raise NotAllowed("There is no access rule for this address (bpm/access/rest_rules.py).")
        if rule.public:
            return True
        if not request.user.is_authenticated:
            return False
        named = str(next(iter(view.kwargs.values()), ""))
        writes = method not in SAFE_METHODS
        caller = _load(request, rule, named if writes else "")
        spend_request(caller)
        try:
            judge(rule, caller, writes=writes)
        except Forbidden as error:
            raise NotAllowed(str(error)) from None
        except Hidden:
            raise _MISSING[rule.subject](id=named[:100]) from None
        if rule.starts:
            require_room(caller)
        enter(caller)
        return True


def _load(request: Request, rule: Rule, named: str) -> Caller:
    asked = Asked(asked_tenant(request), rule.subject if named else "", named)
    try:
        return load_caller(request.user, asked, getattr(request.auth, "scope", None))
    except NoTenant as error:
        raise NotAllowed(str(error)) from None


def _rule_of(view: Any, method: str) -> Rule | None:
    route = routes().get(type(view), "")
    if method != "OPTIONS":
        return rest_rule(route, method)
    # What an address can do is for whoever may do anything with it.
    rules = list(REST_RULES.get(route, {}).values())
    if not rules or any(rule.public for rule in rules):
        return rules[0] if rules else None
    return Rule(tuple(dict.fromkeys(one for rule in rules for one in rule.permissions)))


@cache
def routes() -> dict[type, str]:
    """Return view class to its address below the API's root."""
    from api.urls import urlpatterns

    found: dict[type, str] = {}
    for pattern in urlpatterns:
        view = getattr(getattr(pattern, "callback", None), "view_class", None)
        route = getattr(pattern.pattern, "_route", None)
        if view is not None and route is not None:
            found[view] = route
    return found
