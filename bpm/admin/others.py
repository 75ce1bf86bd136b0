"""Tables without a page of their own making: shown with their first columns, so that none is forgotten."""

from __future__ import annotations

from typing import Any, Final

from django.apps import apps
from django.contrib import admin
from django.db import models

from bpm.admin.read_only import ReadOnlyAdmin

_COLUMNS: Final = 8


def register_others() -> None:
    """Register every table of the engine that is not yet, those with keys of several columns excepted."""
    for model in apps.get_app_config("bpm").get_models():
        key = model._meta.pk  # noqa: SLF001 - Django's public _meta
        if not admin.site.is_registered(model) and not isinstance(key, models.CompositePrimaryKey):
            admin.site.register(model, _page_of(model))


def _page_of(model: type[models.Model]) -> type[ReadOnlyAdmin]:
    fields: list[Any] = [field for field in model._meta.get_fields() if getattr(field, "column", None)]  # noqa: SLF001
    plain = [
        field.name for field in fields if not field.is_relation and not isinstance(field, models.TextField)
    ]
    texts = tuple(field.name for field in fields if isinstance(field, models.CharField))
    ids = tuple(field.name for field in fields if isinstance(field, models.UUIDField) or field.is_relation)
    own = {"list_display": tuple(plain[:_COLUMNS]), "texts": texts, "ids": ids}
    return type(f"{model.__name__}Admin", (ReadOnlyAdmin,), own)
