"""The REST interface as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Registers the REST interface; it has no models."""

    name = "api"
    label = "api"
    verbose_name = "BPM engine REST API"
