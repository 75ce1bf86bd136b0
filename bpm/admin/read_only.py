"""What the pages of all tables of the engine have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest

from bpm.admin.bounded import MOST, BoundedPaginator
from bpm.queries.identifier import is_id

ADMINISTER = "bpm.administer"


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """A table that is looked at: newest rows first, exact search, no full counts, no changes.

    Attributes:
        ids: fields that a search for an id looks into.
        texts: fields that a search for anything else looks into, whole values only.
    """

    ids: tuple[str, ...] = ("pk",)
    texts: tuple[str, ...] = ()
    ordering: ClassVar[tuple[str, ...]] = ("-pk",)
    sortable_by: ClassVar[tuple[str, ...]] = ()
    list_per_page = 50
    list_max_show_all = MOST
    show_full_result_count = False
    paginator = BoundedPaginator
    show_facets = admin.ShowFacets.NEVER
    actions = None
    search_help_text = "Whole ids or values."

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

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the rows that hold exactly this: an index finds them, however big the table is."""
        term = search_term.strip()
        if not term:
            return queryset, False
        fields = self.ids if is_id(term) else self.texts
        if not fields or "\x00" in term:
            return queryset.none(), False
        found = Q()
        for field in fields:
            found |= Q(**{field: term})
        return queryset.filter(found), False
