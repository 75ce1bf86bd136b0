"""Tables of access. Unlike the engine's own tables they are edited by people, in the administration."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.db.models import Q
from knox.models import AuthToken

from bpm.access.permissions import Permission

_HOLDER = Q(user__isnull=False, group__isnull=True) | Q(user__isnull=True, group__isnull=False)


class Held(models.Model):
    """Something that one user or one group has."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.CASCADE, related_name="+"
    )
    group = models.ForeignKey(Group, null=True, blank=True, on_delete=models.CASCADE, related_name="+")

    class Meta:
        abstract = True


class Grant(Held):
    """One permission for one user or group, narrowed to a process, a topic or a tenant.

    A permission that is not narrowed may be given as a Django permission instead.
    """

    permission = models.CharField(max_length=20, choices=[(one.value, one.value) for one in Permission])
    definition_key = models.CharField(
        max_length=255, default="", blank=True, help_text="Key of a process; every process without it."
    )
    topic = models.CharField(
        max_length=255, default="", blank=True, help_text="For work only; every topic without it."
    )
    tenant = models.CharField(  # noqa: DJ001 - none and the default tenant differ
        max_length=100,
        null=True,
        blank=True,
        default=None,
        help_text="Every tenant of the holder without it.",
    )

    class Meta:
        constraints = [
            models.CheckConstraint(condition=_HOLDER, name="bpm_grant_one_holder"),
            models.CheckConstraint(
                condition=Q(topic="") | Q(permission="work"), name="bpm_grant_topic_for_work"
            ),
            models.CheckConstraint(
                condition=Q(definition_key="") | ~Q(permission__in=("work", "administer")),
                name="bpm_grant_no_key_for_work",
            ),
            models.CheckConstraint(
                condition=Q(permission__in=[one.value for one in Permission]), name="bpm_grant_permission"
            ),
        ]

    def __str__(self) -> str:
        narrowed = [text for text in (self.definition_key, self.topic, self.tenant) if text]
        return " ".join([self.permission, *narrowed])


class Membership(Held):
    """A tenant to which a user or group belongs. Whoever has none belongs to the default tenant (empty text)."""

    tenant = models.CharField(max_length=100, default="", blank=True)

    class Meta:
        constraints = [models.CheckConstraint(condition=_HOLDER, name="bpm_membership_one_holder")]

    def __str__(self) -> str:
        return self.tenant or "default tenant"


class Limits(models.Model):
    """Bounds; none of them counts where it is empty."""

    max_body_bytes = models.PositiveIntegerField(null=True, blank=True)
    max_variable_bytes = models.PositiveIntegerField(null=True, blank=True)
    requests_per_minute = models.PositiveIntegerField(null=True, blank=True)
    open_polls = models.PositiveIntegerField(null=True, blank=True, help_text="At a time, per web process.")

    class Meta:
        abstract = True


class TenantLimits(Limits):
    """Bounds of all members of a tenant together."""

    tenant = models.CharField(max_length=100, unique=True, default="", blank=True)
    running_instances = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "tenant limits"

    def __str__(self) -> str:
        return self.tenant or "default tenant"


class TokenScope(Limits):
    """What one token is for: less than its user may, in one tenant, within bounds."""

    token = models.OneToOneField(AuthToken, primary_key=True, on_delete=models.CASCADE, related_name="scope")
    label = models.CharField(max_length=100, default="", blank=True)
    permissions = models.JSONField(
        null=True, blank=True, help_text="List of permissions; all of the user's without it."
    )
    topics = models.JSONField(
        null=True, blank=True, help_text="List of topics; all of the user's without it."
    )
    tenant = models.CharField(max_length=100, null=True, blank=True, default=None)  # noqa: DJ001

    def __str__(self) -> str:
        return self.label or str(self.token_id)[:8]


class RequestWindow(models.Model):
    """How many requests a tenant or token has sent in its present minute; only where a rate is set."""

    subject = models.CharField(max_length=150, primary_key=True)
    minute = models.BigIntegerField()
    requests = models.IntegerField()

    def __str__(self) -> str:
        return self.subject
