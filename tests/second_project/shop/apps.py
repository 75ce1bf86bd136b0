"""The shop as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ShopConfig(AppConfig):
    """An app of the host project."""

    name = "tests.second_project.shop"
    label = "shop"
    default_auto_field = "django.db.models.AutoField"
