"""Work for workers and for people."""

from __future__ import annotations

from django.contrib import admin
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from bpm.admin.filters import one_of
from bpm.admin.links import column, lists_of
from bpm.admin.read_only import ReadOnlyAdmin
from bpm.core.rows import ExternalStatus, UserStatus
from bpm.models import Comment, ExternalTask, UserTask, UserTaskCandidate


@admin.register(UserTask)
class UserTaskAdmin(ReadOnlyAdmin):
    """User tasks."""

    list_display = (
        "id",
        "name",
        "status",
        "assignee",
        "delegation",
        "due_at",
        "priority",
        "of_instance",
        "of_token",
    )
    list_filter = (
        one_of("status", _("status"), [one.value for one in UserStatus]),
        one_of("delegation", _("delegation"), ("PENDING", "RESOLVED")),
    )
    texts = ("name", "node", "assignee", "owner", "tenant")
    ids = ("pk", "instance", "token")
    readonly_fields = ("lists",)
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_token = column("token", "token", _("Token"))

    @admin.display(description=_("Related"))
    def lists(self, row: UserTask) -> SafeString:
        """Link to its candidates and comments."""
        return lists_of(row, (("usertaskcandidate", "q"), ("comment", "q")))


@admin.register(UserTaskCandidate)
class UserTaskCandidateAdmin(ReadOnlyAdmin):
    """Candidates of user tasks."""

    list_display = ("id", "kind", "name", "of_task", "of_instance")
    list_filter = (one_of("kind", _("kind"), ("user", "group")),)
    texts = ("name",)
    ids = ("task", "instance")
    of_task = column("task", "usertask", _("User task"))
    of_instance = column("instance_id", "processinstance", _("Instance"))


@admin.register(Comment)
class CommentAdmin(ReadOnlyAdmin):
    """Comments on user tasks."""

    list_display = ("id", "author", "of_task", "of_instance", "created_at")
    texts = ("author",)
    ids = ("pk", "task", "instance")
    of_task = column("task", "usertask", _("User task"))
    of_instance = column("instance_id", "processinstance", _("Instance"))


@admin.register(ExternalTask)
class ExternalTaskAdmin(ReadOnlyAdmin):
    """External tasks."""

    list_display = (
        "id",
        "topic",
        "status",
        "worker",
        "retries",
        "lease_expires_at",
        "of_instance",
        "of_token",
    )
    list_filter = (one_of("status", _("status"), [one.value for one in ExternalStatus]), "suspended")
    texts = ("topic", "worker", "node", "tenant")
    ids = ("pk", "instance", "token")
    of_instance = column("instance_id", "processinstance", _("Instance"))
    of_token = column("token", "token", _("Token"))
