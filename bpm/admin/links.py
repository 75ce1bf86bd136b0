"""Columns and fields that lead from one row to others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.apps import apps
from django.contrib import admin
from django.db import models
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _


def link_to(model: str, key: object) -> SafeString | str:
    """Return a link to the row of a model of the engine; the key alone where there is no such page."""
    if key is None or key == "":
        return "-"
    try:
        address = reverse(f"admin:bpm_{model}_change", args=[key])
    except NoReverseMatch:
        return str(key)
    return format_html('<a href="{}">{}</a>', address, _short(key))


def _short(key: object) -> str:
    return f"{str(key)[:8]}…{str(key)[-4:]}" if isinstance(key, UUID) else str(key)


def column(field: str, model: str, label: Any) -> Callable[[Any, Any], SafeString | str]:
    """Return a column that links by the id in a field; no row is fetched for it."""

    @admin.display(description=label, ordering=field)
    def show(self: Any, row: models.Model) -> SafeString | str:
        return link_to(model, getattr(row, field))

    return show


def lists_of(row: models.Model, lists: tuple[tuple[str, str], ...]) -> SafeString:
    """Return links to the lists of other models that are narrowed to this row: (model, filter) each."""
    key = row.pk
    found = []
    for model, narrowed in lists:
        address = reverse(f"admin:bpm_{model}_changelist")
        found.append((f"{address}?{narrowed}={key}", _plural(model)))
    return format_html_join(" · ", '<a href="{}">{}</a>', found) or SafeString(_("none"))


def _plural(model: str) -> str:
    return str(apps.get_model("bpm", model)._meta.verbose_name_plural)  # noqa: SLF001 - Django's public _meta
