"""What the pages of all tables of the engine have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Final
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.views.main import ALL_VAR, ERROR_FLAG, ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from bpm.admin.bounded import MOST, BoundedPaginator
from bpm.admin.searching import NEWEST, among_newest, having_id
from bpm.queries.identifier import is_id

ADMINISTER = "bpm.administer"
_TURNING: Final = {ALL_VAR, ERROR_FLAG, ORDER_VAR, PAGE_VAR, SEARCH_VAR}
"""Parameters of a list's address that do not narrow it."""


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A table that is looked at: newest rows first, exact search, no full counts, no changes.

    Attributes:
        ids: fields that a search for an id looks into.
        indexed: parameters of an address that narrow a list by an index.
        texts: fields that a search for anything else looks into, whole values only.
    """

    ids: tuple[str, ...] = ("pk",)
    texts: tuple[str, ...] = ()
    indexed: tuple[str, ...] = ()
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    sortable_by: ClassVar[tuple[str, ...]] = ()
    list_per_page = 50
    list_max_show_all = MOST
    show_full_result_count = False
    paginator = BoundedPaginator
    show_facets = admin.ShowFacets.NEVER
    actions = None
    search_help_text = format_lazy(
        _("Whole ids or values. Filters, and searches for values, look at the newest {number} rows."),
        number=f"{NEWEST:,}",
    )

    def has_add_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Only the engine writes."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Only the engine writes."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Only the engine writes."""
        return False

    def has_view_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Whoever may administer looks at all tables; others need the table's own permission."""
        return request.user.has_perm(ADMINISTER) or super().has_view_permission(request, obj)

    def has_module_permission(self, request: HttpRequest) -> bool:
        """Show the tables to whoever may look at them."""
        return request.user.has_perm(ADMINISTER) or super().has_module_permission(request)

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        """Return what leads elsewhere first, then the table's columns."""
        found: list[Any] = list(super().get_fields(request, obj))
        return sorted(found, key=lambda name: name not in self.readonly_fields)

    def get_search_fields(self, request: HttpRequest) -> tuple[str, ...]:
        """Return what makes the search box appear."""
        return (*self.ids, *self.texts)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Narrow a list that is filtered, or searched for a value, to its newest rows. One statement then."""
        rows: QuerySet[Any] = super().get_queryset(request)
        match = request.resolver_match
        if match is None or not str(match.url_name).endswith("_changelist"):
            return rows
        term = request.GET.get(SEARCH_VAR, "").strip()
        bounded = bool(term) or bool(request.GET.keys() - _TURNING - set(self.indexed))
        return among_newest(rows) if bounded and not is_id(term) else rows

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows that hold exactly this."""
        term = search_term.strip()
        if not term:
            return queryset, False
        fields = self.ids if is_id(term) else self.texts
        if not fields or "\x00" in term:
            return queryset.none(), False
        if is_id(term):
            return having_id(queryset, fields, UUID(term)), False
        found = Q()
        for field in fields:
            found |= Q(**{field: term})
        return queryset.filter(found), False
