"""The generated part of docs/reference/database-schema.md; `python -m tests.unit.schema_page` writes it."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from typing import Any

from django.db import models

MARK = "<!-- From here on generated from the models by: python -m tests.unit.schema_page -->\n"
PAGE = Path(__file__).resolve().parents[2] / "docs/reference/database-schema.md"
_KINDS = {
    "BigAutoField": "bigint, generated",
    "BigIntegerField": "bigint",
    "BinaryField": "bytes",
    "BooleanField": "boolean",
    "CharField": "text",
    "DateTimeField": "timestamp",
    "IntegerField": "integer",
    "TextField": "text",
    "UUIDField": "uuid",
}
_OPERATORS = {"exact": "=", "gt": ">", "gte": "≥", "lte": "≤"}


def render() -> str:
    """Return all tables in the order of their names: purpose, columns, keys, constraints, indexes."""
    from django.apps import apps

    found = sorted(apps.get_app_config("bpm").get_models(), key=lambda model: model._meta.db_table)
    return "\n".join(_table(model) for model in found)


def page_now() -> str:
    """Return the page with its generated part as the models are."""
    return PAGE.read_text().partition(MARK)[0] + MARK + "\n" + render()


def _table(model: type[models.Model]) -> str:
    meta = model._meta
    key = [field.column for field in getattr(meta.pk, "fields", [meta.pk])]
    lines = [f"## {meta.db_table}", "", f"`{model.__name__}`. {_purpose(model)}", ""]
    lines.append(f"* Columns: {', '.join(_column(field) for field in meta.local_concrete_fields)}.")
    lines.append(f"* Primary key: {_names(key)}.")
    lines += [f"* {_constraint(model, constraint)}." for constraint in meta.constraints]
    lines += [f"* Index `{index.name}`: {_index(model, index)}." for index in meta.indexes]
    return "\n".join(lines) + "\n"


def _purpose(model: type[models.Model]) -> str:
    return " ".join((inspect.getdoc(model) or "").split())


def _column(field: Any) -> str:
    if field.is_relation:
        kind = _KINDS[field.target_field.get_internal_type()]
        if field.db_constraint:
            kind += f" of `{field.related_model._meta.db_table}`"
    else:
        kind = _KINDS[field.get_internal_type()]
        kind += f" up to {field.max_length}" if kind == "text" and field.max_length else ""
    return f"`{field.column}` {kind}{' or null' if field.null else ''}"


def _constraint(model: type[models.Model], constraint: Any) -> str:
    if isinstance(constraint, models.CheckConstraint):
        return f"Check `{constraint.name}`: {_rule(constraint.condition)}"
    where = f" where {_rule(constraint.condition)}" if constraint.condition else ""
    return f"Unique `{constraint.name}`: {_names(_columns(model, constraint.fields))}{where}"


def _index(model: type[models.Model], index: models.Index) -> str:
    named = [field for field, _ in index.fields_orders]
    orders = [order.lower() for _, order in index.fields_orders]
    parts = [
        f"`{column}`{' ' + order if order else ''}"
        for column, order in zip(_columns(model, named), orders, strict=True)
    ]
    parts += [_expression(expression) for expression in index.expressions]
    where = f" where {_rule(index.condition)}" if index.condition else ""
    return ", ".join(parts) + where


def _expression(expression: Any) -> str:
    inner = getattr(expression, "expression", expression)
    return f"`{inner.name}`{' desc' if getattr(expression, 'descending', False) else ''}"


def _columns(model: type[models.Model], fields: Any) -> list[str]:
    meta: Any = model._meta
    return [str(meta.get_field(name).column) for name in fields]


def _names(columns: list[str]) -> str:
    return ", ".join(f"`{column}`" for column in columns)


def _rule(rule: Any) -> str:
    """Return a condition in words that read like SQL."""
    if isinstance(rule, tuple):
        return _comparison(*rule)
    parts = [_rule(child) for child in rule.children]
    text = f" {rule.connector.lower()} ".join(
        f"({part})" if isinstance(child, models.Q) and len(child.children) > 1 and not child.negated else part
        for part, child in zip(parts, rule.children, strict=True)
    )
    return f"not ({text})" if rule.negated else text


def _comparison(lookup: str, value: Any) -> str:
    name, _, operator = lookup.partition("__")
    if operator == "isnull":
        return f"{name} is {'' if value else 'not '}null"
    if operator == "in":
        return f"{name} in ({', '.join(value)})"
    if isinstance(value, bool):
        return name if value else f"not {name}"
    shown = getattr(value, "name", value) if value != "" else "''"
    return f"{name} {_OPERATORS[operator or 'exact']} {shown}"


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.support.type_settings")
    django.setup()
    PAGE.write_text(page_now())
