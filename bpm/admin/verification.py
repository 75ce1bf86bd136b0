"""What verification and replay keep."""

from __future__ import annotations

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from bpm.admin.links import column
from bpm.admin.read_only import ReadOnlyAdmin
from bpm.models import ReplaySession, RetentionMarker, Verification, VerificationPlace


@admin.register(Verification)
class VerificationAdmin(ReadOnlyAdmin):
    """What has been verified."""

    list_display = ("of_instance", "verified_through", "verified_at", "known")
    of_instance = column("instance_id", "processinstance", _("Instance"))


@admin.register(VerificationPlace)
class VerificationPlaceAdmin(ReadOnlyAdmin):
    """Where the sweep is."""

    list_display = ("id", "after", "rounds", "held_by", "held_until")
    texts = ("held_by",)
    ids = ("after",)


@admin.register(ReplaySession)
class ReplaySessionAdmin(ReadOnlyAdmin):
    """Replays that somebody goes through."""

    list_display = ("id", "of_instance", "cursor", "principal", "tenant", "expires_at")
    texts = ("principal", "tenant")
    ids = ("pk", "instance")
    of_instance = column("instance", "processinstance", _("Instance"))


@admin.register(RetentionMarker)
class RetentionMarkerAdmin(ReadOnlyAdmin):
    """Leave to change a history: empty but inside a transaction."""

    list_display = ("id",)
    ids = ()
