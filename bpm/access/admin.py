"""The administration of rights: the tables that people do change."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest

from bpm.access.models import Grant, Membership, RequestWindow, TenantLimits, TokenScope
from bpm.access.permissions import Permission


@admin.register(Grant)
class GrantAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Permissions, narrowed or not."""

    list_display = ("permission", "user", "group", "definition_key", "topic", "tenant")
    list_filter = ("permission",)
    list_select_related = ("user", "group")
    search_fields = ("user__username", "group__name", "definition_key", "topic", "tenant")
    raw_id_fields = ("user", "group")
    show_full_result_count = False


@admin.register(Membership)
class MembershipAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Who belongs to which tenant."""

    list_display = ("__str__", "user", "group")
    list_select_related = ("user", "group")
    search_fields = ("user__username", "group__name", "tenant")
    raw_id_fields = ("user", "group")
    show_full_result_count = False


@admin.register(TenantLimits)
class TenantLimitsAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Bounds of tenants."""

    list_display = ("__str__", "requests_per_minute", "running_instances", "open_polls", "max_body_bytes")
    search_fields = ("tenant",)
    show_full_result_count = False


class TokenScopeForm(forms.ModelForm):  # type: ignore[type-arg]
    """A token's scope, with lists that mean something."""

    class Meta:
        model = TokenScope
        fields = (
            "token",
            "label",
            "permissions",
            "topics",
            "tenant",
            "max_body_bytes",
            "max_variable_bytes",
            "requests_per_minute",
            "open_polls",
        )

    def clean_permissions(self) -> list[str] | None:
        """Return the names of permissions. Raises: ValidationError."""
        names = self._texts("permissions")
        unknown = set(names or ()) - {str(one) for one in Permission}
        if unknown:
            raise forms.ValidationError(f"Unknown: {', '.join(sorted(unknown))}.")
        return names

    def clean_topics(self) -> list[str] | None:
        """Return the names of topics. Raises: ValidationError."""
        return self._texts("topics")

    def _texts(self, name: str) -> list[str] | None:
        value: Any = self.cleaned_data[name]
        if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
            raise forms.ValidationError('Expected a list of texts, such as ["view", "work"].')
        return value


@admin.register(TokenScope)
class TokenScopeAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """What tokens are for."""

    form = TokenScopeForm
    list_display = ("label", "owner", "expires", "permissions", "topics", "tenant", "requests_per_minute")
    list_select_related = ("token__user",)
    search_fields = ("label", "token__user__username", "tenant")
    raw_id_fields = ("token",)
    show_full_result_count = False

    @admin.display(description="user")
    def owner(self, scope: TokenScope) -> str:
        """Return whose token it is."""
        return str(scope.token.user.get_username())

    @admin.display(description="expires")
    def expires(self, scope: TokenScope) -> Any:
        """Return when the token ends."""
        return scope.token.expiry


@admin.register(RequestWindow)
class RequestWindowAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Requests of the present minute; counted by the API alone."""

    list_display = ("subject", "minute", "requests")
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only the API counts."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only the API counts."""
        return False
