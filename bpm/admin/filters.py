"""Filters whose choices are known beforehand, so that no table is scanned for them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest


def one_of(field: str, title: Any, values: Iterable[str]) -> type[admin.SimpleListFilter]:
    """Return a filter of a field by fixed values."""

    class Chosen(admin.SimpleListFilter):
        """One of the values."""

        parameter_name = field

        def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
            """Return the choices."""
            return [(value, value) for value in values]

        def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
            """Return the rows with the chosen value."""
            return queryset.filter(**{field: self.value()}) if self.value() else queryset

    Chosen.title = title
    return Chosen
