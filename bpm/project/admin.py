"""API tokens in the administration: made, shown once, looked at by their beginning, revoked."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from knox.models import AuthToken, get_digest_token
from knox.settings import CONSTANTS, knox_settings

_MOST_DAYS: Final = 3_650
_KEY: Final = "key_shown_once"


class NewToken(forms.ModelForm):  # type: ignore[type-arg]
    """Whose token it is, and until when it is good."""

    class Meta:
        model = AuthToken
        fields = ("user", "expiry")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["expiry"].required = True
        self.fields["expiry"].initial = timezone.now() + knox_settings.TOKEN_TTL

    def clean_expiry(self) -> Any:
        """Refuse a token that is good for nothing, or for ever."""
        expiry = self.cleaned_data["expiry"]
        if not timezone.now() < expiry <= timezone.now() + timedelta(days=_MOST_DAYS):
            raise forms.ValidationError(_("The token expires in the future, within ten years."))
        return expiry

    def save(self, commit: bool = True) -> Any:
        """Make the token; the key is on the object only, not in the database."""
        found = super().save(commit=False)
        found.digest, key = get_digest_token()
        found.token_key = key[: CONSTANTS.TOKEN_KEY_LENGTH]
        setattr(found, _KEY, key)
        if commit:
            found.save()
        return found


class TokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """Tokens by user, beginning of the key, and expiry. The key itself is shown once, when it is made."""

    form = NewToken
    list_display = ("token_key", "user", "created", "expiry", "is_good")
    list_display_links = None
    list_select_related = ("user",)
    list_filter = ("expiry",)
    search_fields = ("token_key__exact", "user__username__exact")
    ordering = ("-created",)
    show_full_result_count = False
    autocomplete_fields = ("user",)
    actions = ("revoke",)

    @admin.display(description=_("valid"), boolean=True)
    def is_good(self, row: AuthToken) -> bool:
        """Return whether the token has not expired."""
        return row.expiry is None or row.expiry > timezone.now()

    @admin.action(description=_("Revoke the chosen tokens"), permissions=["delete"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[AuthToken]) -> None:
        """Delete tokens."""
        number, _each = queryset.delete()
        self.message_user(request, _("Revoked: %(number)d") % {"number": number})

    def get_actions(self, request: HttpRequest) -> Any:
        """Leave out the stock deletion, whose page names tokens by their hashes."""
        return {
            name: found for name, found in super().get_actions(request).items() if name != "delete_selected"
        }

    def has_change_permission(self, request: HttpRequest, obj: AuthToken | None = None) -> bool:
        """Let tokens be made and revoked only."""
        return obj is None and super().has_change_permission(request, obj)

    def response_add(
        self, request: HttpRequest, obj: AuthToken, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Show the key: now and never again."""
        key = getattr(obj, _KEY)
        context = {**self.admin_site.each_context(request), "title": _("New token"), "key": key, "token": obj}
        answer = TemplateResponse(request, "admin/knox/authtoken/made.html", context)
        answer["Cache-Control"] = "no-store"
        return answer


admin.site.unregister(AuthToken)
admin.site.register(AuthToken, TokenAdmin)
admin.site.site_header = _("BPM engine administration")
admin.site.site_title = _("BPM engine")
