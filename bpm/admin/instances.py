"""Instances and what they consist of."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _now
from django.utils.translation import gettext_lazy as _

from bpm.admin.filters import one_of
from bpm.admin.links import column, link_to, lists_of
from bpm.admin.of_instance import events, variables
from bpm.admin.read_only import ReadOnlyAdmin
from bpm.core.rows import CompensationStatus, InstanceStatus, JoinStatus, ScopeStatus
from bpm.core.token import TokenStatus
from bpm.models import CompensationRecord, Incident, ParallelJoinState, ProcessInstance, Scope, Token

_OWNED: Final = (
    "token",
    "scope",
    "paralleljoinstate",
    "usertask",
    "comment",
    "externaltask",
    "timer",
    "job",
    "subscription",
    "incident",
    "compensationrecord",
)


@admin.register(ProcessInstance)
class ProcessInstanceAdmin(ReadOnlyAdmin):
    """Instances; each leads to everything it has."""

    list_display = (
        "id",
        "definition_key",
        "business_key",
        "status",
        "tenant",
        "incidents",
        "started_at",
        "ended_at",
    )
    list_filter = (one_of("status", _("status"), [one.value for one in InstanceStatus]),)
    texts = ("definition_key", "business_key")
    ids = ("pk", "definition", "root", "parent_instance")
    indexed = ("parent_instance", "definition__id__exact")
    readonly_fields = ("lists", "of_parent")

    @admin.display(description=_("Related"))
    def lists(self, row: ProcessInstance) -> SafeString:
        """Link to its history, its variables, and the lists of what it has."""
        pages = [("history", _now("history")), ("variables", _now("variables"))]
        links = [
            format_html(
                '<a href="{}">{}</a>', reverse(f"admin:bpm_processinstance_{name}", args=[row.pk]), text
            )
            for name, text in pages
        ]
        others = lists_of(row, tuple((model, "q") for model in _OWNED))
        called = reverse("admin:bpm_processinstance_changelist")
        link = format_html('<a href="{}?parent_instance={}">{}</a>', called, row.pk, _now("called instances"))
        return format_html("{} · {} · {} · {}", *links, link, others)

    @admin.display(description=_("Calling instance"))
    def of_parent(self, row: ProcessInstance) -> SafeString | str:
        """Link to the instance that has called it."""
        return link_to("processinstance", row.parent_instance)

    def get_urls(self) -> list[URLPattern]:
        """Return also the pages of history and variables, whose keys have several columns."""
        wrap = self.admin_site.admin_view
        own = [
            path("<uuid:instance_id>/events/", wrap(events(self)), name="bpm_processinstance_history"),
            path(
                "<uuid:instance_id>/variables/", wrap(variables(self)), name="bpm_processinstance_variables"
            ),
        ]
        found: list[Any] = super().get_urls()
        # The stock page of an object's changes has this name and nothing to show.
        return [*own, *(one for one in found if one.name != "bpm_processinstance_history")]


@admin.register(Scope)
class ScopeAdmin(ReadOnlyAdmin):
    """Scopes."""

    list_display = (
        "id",
        "node",
        "kind",
        "status",
        "of_instance",
        "of_parent",
        "live_tokens",
        "started_at",
        "ended_at",
    )
    list_filter = (one_of("status", _("status"), [one.value for one in ScopeStatus]),)
    texts = ("node",)
    ids = ("pk", "instance", "parent", "outer_token")
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_parent = column("parent", "scope", _("Around it"))


@admin.register(Token)
class TokenAdmin(ReadOnlyAdmin):
    """Tokens."""

    list_display = ("id", "node", "status", "wait", "of_instance", "of_scope", "of_join", "created_at")
    list_filter = (one_of("status", _("status"), [one.value for one in TokenStatus]), "final")
    texts = ("node",)
    ids = ("pk", "instance", "scope", "parallel_group", "join", "called")
    readonly_fields = ("lists",)
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_scope = column("scope", "scope", _("Scope"))
    of_join = column("join", "paralleljoinstate", _("Join"))

    @admin.display(description=_("Related"))
    def lists(self, row: Token) -> SafeString:
        """Link to its events, and to what hangs on it."""
        history = reverse("admin:bpm_processinstance_history", args=[row.instance_id])
        link = format_html('<a href="{}?token={}">{}</a>', history, row.pk, _now("history"))
        models = ("usertask", "externaltask", "timer", "job", "subscription", "incident")
        return format_html("{} · {}", link, lists_of(row, tuple((model, "q") for model in models)))


@admin.register(ParallelJoinState)
class ParallelJoinStateAdmin(ReadOnlyAdmin):
    """Joins."""

    list_display = (
        "id",
        "node",
        "kind",
        "status",
        "arrived",
        "expected",
        "generation",
        "of_instance",
        "opened_at",
    )
    list_filter = (one_of("status", _("status"), [one.value for one in JoinStatus]),)
    texts = ("node",)
    ids = ("pk", "instance", "scope", "group")
    of_instance = column("instance_id", "processinstance", _("Instance"))


@admin.register(Incident)
class IncidentAdmin(ReadOnlyAdmin):
    """Incidents."""

    list_display = ("id", "kind", "node", "status", "of_instance", "of_token", "tenant", "created_at")
    list_filter = (one_of("status", _("status"), ("OPEN", "RESOLVED")),)
    texts = ("kind", "node", "tenant")
    ids = ("pk", "instance", "token")
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_token = column("token", "token", _("Token"))


@admin.register(CompensationRecord)
class CompensationRecordAdmin(ReadOnlyAdmin):
    """What can be compensated."""

    list_display = ("id", "node", "handler", "position", "status", "of_instance", "of_scope", "created_at")
    list_filter = (one_of("status", _("status"), [one.value for one in CompensationStatus]),)
    texts = ("node", "handler")
    ids = ("pk", "instance", "scope")
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_scope = column("scope", "scope", _("Scope"))
