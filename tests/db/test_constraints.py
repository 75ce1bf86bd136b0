"""Every constraint of every model is there and refuses: a new one without a way to break it fails here."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction

from bpm import engine
from bpm.core.errors import InvariantViolated
from bpm.engine import Idempotency
from bpm.models import FormDefinition, Outbox, ReplaySession, RetentionMarker, RetentionRule
from bpm.shell.database_clock import database_now
from bpm.shell.heartbeats import beat
from bpm.shell.retention import changing_history
from bpm.shell.verification_sweep import verify_some
from bpm.shell.violations import _CONSTRAINTS, translated
from tests.support.database_host import DatabaseHost
from tests.support.play import Play
from tests.support.proof import rich_case, sql

pytestmark = pytest.mark.django_db(transaction=True)

_MODELS: Final[list[Any]] = list(apps.get_app_config("bpm").get_models())
_UNIQUE: Final = [
    (model, constraint)
    for model in _MODELS
    for constraint in model._meta.constraints
    if isinstance(constraint, models.UniqueConstraint)
]
_CHECKS: Final = {
    constraint.name: model
    for model in _MODELS
    for constraint in model._meta.constraints
    if isinstance(constraint, models.CheckConstraint)
}
_BROKEN: Final[Mapping[str, tuple[str, ...]]] = {
    "bpm_definition_version_positive": ("version = 0",),
    "bpm_form_version_positive": ("version = 0",),
    "bpm_instance_ended_has_no_token": (
        "status = 'COMPLETED'",
        "status = 'COMPLETED', ended_at = started_at",
        "ended_at = started_at",
    ),
    "bpm_instance_counts": tuple(
        f"{name} = -1" for name in ("failed", "incidents", "last_sequence", "live", "passive")
    ),
    "bpm_scope_ended_is_empty": (
        "status = 'COMPLETED', live_tokens = 1",
        "status = 'COMPLETED', live_tokens = 0, live_scopes = 1",
    ),
    "bpm_scope_counts": ("live_tokens = -1", "live_scopes = -1"),
    "bpm_history_sequence": ("sequence = -1 - sequence",),
    "bpm_history_final_has_token": ("final = true, token = NULL",),
    "bpm_external_lease_is_whole": (
        "status = 'LOCKED', worker = NULL, lease_expires_at = NULL",
        "status = 'LOCKED', worker = 'w', lease = 0, lease_expires_at = created_at",
        "status = 'LOCKED', worker = 'w', lease = 1, lease_expires_at = NULL",
        "status = 'READY', worker = 'w', lease_expires_at = NULL",
        "status = 'READY', worker = NULL, lease_expires_at = created_at",
    ),
    "bpm_external_retries": ("retries = -1",),
    "bpm_user_assignee_not_blank": ("assignee = ''",),
    "bpm_token_final_status": (
        "status = 'Terminated', final = false",
        "status = 'Ready', final = true",
        "status = 'Waiting', final = true",
    ),
    "bpm_join_arrived": ("arrived = -1", "arrived = expected + 1", "generation = 0"),
    "bpm_timer_owner": ("instance_id = NULL", "definition_id = (SELECT id FROM bpm_definition LIMIT 1)"),
    "bpm_subscription_owner": (
        "instance_id = NULL",
        "definition_id = (SELECT id FROM bpm_definition LIMIT 1)",
    ),
    "bpm_job_retries": ("retries = -1",),
    "bpm_retention_days": ("days = -1",),
}
"""Check constraint to the changes that each must be refused because of it."""

_ONLY: Final = {
    "bpm_timer_owner": "instance_id IS NOT NULL",
    "bpm_subscription_owner": "instance_id IS NOT NULL",
    "bpm_instance_ended_has_no_token": "status = 'RUNNING'",
    "bpm_scope_ended_is_empty": "status = 'ACTIVE'",
}
"""Rows that are changed, where not any row will do."""


@pytest.fixture
def rows_in_every_table() -> Iterator[None]:
    host = DatabaseHost(checked=False)
    play = Play(host)
    case = rich_case(play)
    host.deploy(play_by_message())
    engine.correlate("nobody", ttl_ms=60_000, message_id="m1")
    engine.start("p", variables={}, key=Idempotency(principal="kim", key="k", fingerprint="f"))
    now = database_now()
    FormDefinition.objects.create(**_form(now))
    ReplaySession.objects.create(
        id=uuid.uuid4(), principal="kim", instance=uuid.UUID(case.id), cursor=0, expires_at=now
    )
    RetentionMarker.objects.create(id=7)
    Outbox.objects.create(
        source=uuid.UUID(case.id), command="CancelInstance", payload="{}", available_at=now, created_at=now
    )
    RetentionRule.objects.create(definition_key="p", days=1, changed_at=now)
    beat("test")
    verify_some("test")
    engine.cancel(host.start("p"))
    yield
    RetentionMarker.objects.all().delete()
    host.handlers.clear()


def play_by_message() -> bytes:
    """Return a process that a message starts."""
    from tests.support.tree_model import tree_xml

    return tree_xml("start s message=Go -> u\nuser u -> e\nend e").replace(b'id="p"', b'id="by_message"')


def _form(now: Any) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for field in FormDefinition._meta.concrete_fields:
        kind = field.get_internal_type()
        if field.is_relation:
            related: Any = field.related_model
            values[field.attname] = related.objects.values_list("pk", flat=True).first()
        elif not field.has_default() and not field.null:
            values[field.name] = {"UUIDField": uuid.uuid4(), "IntegerField": 1, "DateTimeField": now}.get(
                kind, "x"
            )
    return values


def _keys(model: type[models.Model]) -> list[str]:
    pk = model._meta.pk
    return [field.column for field in getattr(pk, "fields", None) or [pk]]


def _copy(model: type[models.Model], row: models.Model, new_key: bool, **fresh: Any) -> None:
    """Insert a copy of a row, under a key of its own or the same one."""
    columns = [field.column for field in model._meta.local_concrete_fields]
    keys = _keys(model)
    if new_key and keys == ["id"]:
        whole = model._meta.pk.get_internal_type() != "UUIDField"
        new = str(uuid.uuid4())
        fresh["id"] = 987_654 if whole else new if connection.vendor == "postgresql" else new.replace("-", "")
    elif new_key:
        fresh["sequence"] = 987_654
    condition = " AND ".join(f'"{key}" = %s' for key in keys)
    values = ", ".join("%s" if column in fresh else f'"{column}"' for column in columns)
    names = ", ".join(f'"{column}"' for column in columns)
    table = model._meta.db_table
    of_row = [_parameter(getattr(row, name)) for name in _attributes(model)]
    sql(
        f"INSERT INTO {table} ({names}) SELECT {values} FROM {table} WHERE {condition}",
        *[fresh[column] for column in columns if column in fresh],
        *of_row,
    )


def _attributes(model: type[models.Model]) -> list[str]:
    pk = model._meta.pk
    return [field.attname for field in getattr(pk, "fields", None) or [pk]]


def _parameter(value: Any) -> Any:
    return value.hex if isinstance(value, uuid.UUID) and connection.vendor == "sqlite" else value


@pytest.mark.usefixtures("rows_in_every_table")
def test_each_unique_constraint_refuses_a_second_row() -> None:
    for model, constraint in _UNIQUE:
        rows = model.objects.filter(constraint.condition) if constraint.condition else model.objects.all()
        if constraint.name == "bpm_join_generation":
            # Open ones are refused by another constraint already.
            rows.filter(status="OPEN").update(status="FIRED")
        row = rows.first()
        assert row is not None, f"no row to copy for {constraint.name}"
        # Another generation, so that it is the constraint of open states that refuses.
        fresh = {"generation": 99} if constraint.name == "bpm_join_one_open" else {}
        with pytest.raises(IntegrityError) as caught, transaction.atomic():
            _copy(model, row, new_key=True, **fresh)
        columns = [f"{model._meta.db_table}.{_column(model, name)}" for name in constraint.fields]
        _named(constraint.name, columns, caught)
        if constraint.name == "bpm_join_generation":
            rows.update(status="OPEN")


def _column(model: Any, name: str) -> str:
    return str(model._meta.get_field(name).column)


def _named(name: str, columns: list[str], caught: Any) -> None:
    text = str(caught.value)
    assert name in text or ", ".join(columns) in text, text


@pytest.mark.usefixtures("rows_in_every_table")
def test_each_key_refuses_a_second_row() -> None:
    for model in _MODELS:
        row = model.objects.first()
        assert row is not None, f"no row to copy in {model.__name__}"
        with pytest.raises(IntegrityError), transaction.atomic():
            _copy(model, row, new_key=False)


def test_every_check_has_a_way_to_break_it() -> None:
    assert set(_BROKEN) == set(_CHECKS)


@pytest.mark.usefixtures("rows_in_every_table")
def test_each_check_refuses_what_must_never_be() -> None:
    RetentionMarker.objects.all().delete()
    for name, changes in _BROKEN.items():
        table = _CHECKS[name]._meta.db_table
        only = _ONLY.get(name, "true")
        assert sql(f"SELECT 1 FROM {table} WHERE {only}"), f"no row to change in {table}"
        for change in changes:
            with pytest.raises(IntegrityError, match=name), transaction.atomic(), changing_history():
                sql(f"UPDATE {table} SET {change} WHERE {only}")


def test_every_translated_constraint_is_one_of_a_model() -> None:
    names = {constraint.name for _, constraint in _UNIQUE} | set(_CHECKS)
    others = {name for name in _CONSTRAINTS if name not in names}
    assert all(name.startswith("bpm_historyevent") for name in others), others


@pytest.mark.usefixtures("rows_in_every_table")
def test_a_broken_constraint_is_an_invariant_of_the_engine() -> None:
    with pytest.raises(InvariantViolated), translated(), transaction.atomic():
        sql("UPDATE bpm_job SET retries = -1")
