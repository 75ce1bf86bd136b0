"""What was deployed."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from bpm.admin.links import column, lists_of
from bpm.admin.read_only import ReadOnlyAdmin
from bpm.models import Definition, DefinitionEvent, DefinitionKey, Deployment, FormDefinition, Resource


@admin.register(Deployment)
class DeploymentAdmin(ReadOnlyAdmin):
    """Deployments."""

    list_display = ("id", "name", "tenant", "actor", "created_at")
    texts = ("name", "actor", "tenant")
    readonly_fields = ("lists",)

    @admin.display(description=_("Related"))
    def lists(self, row: Deployment) -> SafeString:
        """Link to what it holds."""
        return lists_of(row, tuple((model, "q") for model in ("definition", "resource", "formdefinition")))


@admin.register(Resource)
class ResourceAdmin(ReadOnlyAdmin):
    """Files."""

    list_display = ("id", "name", "of_deployment")
    texts = ("name",)
    ids = ("pk", "deployment")
    exclude = ("content",)
    readonly_fields = ("text",)
    of_deployment = column("deployment_id", "deployment", _("Deployment"))

    def get_queryset(self, request: Any) -> Any:
        """Leave the files themselves out of lists."""
        return super().get_queryset(request).defer("content")

    @admin.display(description=_("Content"))
    def text(self, row: Resource) -> SafeString:
        """Show the file."""
        return format_html("<pre>{}</pre>", bytes(row.content).decode(errors="replace"))


@admin.register(DefinitionKey)
class DefinitionKeyAdmin(ReadOnlyAdmin):
    """Process keys with their latest versions."""

    list_display = ("key", "tenant", "of_latest", "events")
    texts = ("key", "tenant")
    ids = ("pk", "latest")
    of_latest = column("latest_id", "definition", _("Latest version"))


@admin.register(Definition)
class DefinitionAdmin(ReadOnlyAdmin):
    """Versions of processes."""

    list_display = (
        "id",
        "key",
        "version",
        "version_tag",
        "name",
        "tenant",
        "executable",
        "suspended",
        "deleted_at",
    )
    list_filter = ("executable", "suspended")
    texts = ("key", "version_tag", "name", "tenant")
    ids = ("pk", "deployment", "resource")
    readonly_fields = ("lists",)

    @admin.display(description=_("Related"))
    def lists(self, row: Definition) -> SafeString:
        """Link to its instances and its own timers and subscriptions."""
        return lists_of(row, tuple((model, "q") for model in ("processinstance", "timer", "subscription")))


@admin.register(DefinitionEvent)
class DefinitionEventAdmin(ReadOnlyAdmin):
    """What was done with definitions."""

    list_display = ("key", "sequence", "event_type", "occurred_at", "actor", "tenant")
    texts = ("key", "event_type", "actor", "tenant")
    ids = ()


@admin.register(FormDefinition)
class FormDefinitionAdmin(ReadOnlyAdmin):
    """Versions of forms."""

    list_display = ("id", "key", "version", "tenant", "of_deployment", "of_resource", "created_at")
    texts = ("key", "tenant")
    ids = ("pk", "deployment", "resource")
    of_deployment = column("deployment_id", "deployment", _("Deployment"))
    of_resource = column("resource_id", "resource", _("File"))
