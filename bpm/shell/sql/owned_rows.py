"""Where rows of instances are, and how they are found by an index."""

from __future__ import annotations

from functools import cache

from django.apps import apps
from django.db import connection, models

from bpm.models import ProcessInstance, UserTaskCandidate


@cache
def owned_rows() -> tuple[tuple[str, str], ...]:
    """Return tables whose rows belong to instances, each with conditions that together hold for all of its rows.

    A partial index is used only where its own condition stands in the statement, so each condition is for a statement
    of its own; it begins with ` AND `, or is empty. Candidates of user tasks are found by their task.
    """
    found: list[tuple[str, str]] = []
    for model in apps.get_app_config("bpm").get_models():
        if model is not UserTaskCandidate and _is_owned(model):
            table = model._meta.db_table  # noqa: SLF001 - Django's documented API
            found += [(table, condition) for condition in _conditions(model)]
    return tuple(found)


def _is_owned(model: type[models.Model]) -> bool:
    fields = model._meta.concrete_fields  # noqa: SLF001 - Django's documented API
    return any(field.attname == "instance_id" and field.related_model is ProcessInstance for field in fields)


def _conditions(model: type[models.Model]) -> list[str]:
    options = model._meta  # noqa: SLF001 - Django's documented API
    if options.pk_fields[0].name == "instance":
        return [""]
    found: set[str | None] = set()
    editor = connection.SchemaEditorClass(connection, collect_sql=True)
    for index in (*options.indexes, *options.constraints):
        if (getattr(index, "fields", None) or ("",))[0] == "instance":
            # The text of the index's own definition, which has no parameters.
            found.add(index._get_condition_sql(model, editor))  # noqa: SLF001
    if None in found or not found:
        return [""]
    return sorted(f" AND {text}".replace("%", "%%") for text in found)
