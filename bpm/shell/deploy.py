"""Deploying files: all of them, or nothing (semantics §12)."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import F

from bpm import handlers
from bpm.bpmn import ProcessModel, read_file
from bpm.core.errors import DefinitionInvalid, Invalid, Problem
from bpm.core.ids import IdSource
from bpm.core.values import to_text
from bpm.models import Definition, DefinitionEvent, DefinitionKey, Deployment, Resource
from bpm.shell.configuration import engine_zone
from bpm.shell.database_clock import database_now
from bpm.shell.definition_starts import arm, disarm, next_firings
from bpm.shell.forms import (
    FormFile,
    changed_forms,
    is_form_file,
    read_form_files,
    store_forms,
    uses_file,
)
from bpm.shell.host import require_immediate_transactions
from bpm.shell.model_faults import Exploring
from bpm.shell.violations import translated


@dataclass(frozen=True, slots=True)
class _Found:
    """A process in a file."""

    resource: str
    process: ProcessModel
    executable: bool


def deploy(
    resources: Sequence[tuple[str, bytes]],
    *,
    tenant: str = "",
    name: str = "",
    actor: str = "",
    duplicate_filtering: bool = True,
    force_executable: bool = False,
) -> dict[str, Any]:
    """Deploy BPMN files, and form files whose name ends with `.form`, as one deployment.

    Args:
        resources: file name and bytes of each; at least one, names distinct.
        duplicate_filtering: content equal to the latest version's makes no new version.
        force_executable: take every process as executable.

    Returns:
        `deployment_id`, `definitions` (`id key version version_tag name resource executable new timer_starts`),
        `forms` that are new (`id key version resource`), `warnings`. Without anything new the deployment is the one
        of the first definition. A timer start tells its `node` and at most 10 next `firings`.

    Raises:
        DefinitionInvalid: with every problem of every file.
        Invalid: no file, or two of one name.
    """
    require_immediate_transactions()
    found, forms, warnings = _read(resources, force_executable=force_executable)
    with translated(), transaction.atomic():
        changed = changed_forms(forms, tenant, duplicate_filtering=duplicate_filtering)
        return _store(found, changed, warnings, dict(resources), tenant, name, actor, duplicate_filtering)


def _read(
    resources: Sequence[tuple[str, bytes]], *, force_executable: bool
) -> tuple[list[_Found], list[FormFile], list[Problem]]:
    if not resources:
        raise Invalid("A deployment has at least one file.")
    names = [name for name, _ in resources]
    if len(set(names)) != len(names):
        raise Invalid("The names of the files of one deployment differ.", names=names)
    found: list[_Found] = []
    forms, problems = read_form_files(resources)
    warnings: list[Problem] = []
    for name, data in resources:
        if is_form_file(name):
            continue
        try:
            file = read_file(
                data,
                name=name,
                zone=engine_zone(),
                force_executable=force_executable,
                script_formats=handlers.script_formats(),
            )
        except DefinitionInvalid as invalid:
            problems += invalid.problems
            continue
        warnings += file.warnings
        for process in file.processes:
            found.append(_Found(name, process, process.executable or force_executable))
            problems += process.problems
            warnings += process.warnings
    problems += _twice(found)
    if problems:
        raise DefinitionInvalid(tuple(problems))
    exploring = Exploring()
    for one in found:
        warnings += exploring.warnings(one.process, one.resource)
    return found, forms, warnings


def _twice(found: list[_Found]) -> list[Problem]:
    keys = Counter(one.process.key for one in found)
    return [
        Problem(key, 0, "duplicate-process", f"The process {key} stands twice in this deployment.")
        for key in sorted(key for key, count in keys.items() if count > 1)
    ]


def _store(
    found: list[_Found],
    forms: list[FormFile],
    warnings: list[Problem],
    content: dict[str, bytes],
    tenant: str,
    name: str,
    actor: str,
    duplicate_filtering: bool,
) -> dict[str, Any]:
    now = database_now()
    ids = IdSource(now, secrets.randbits(42))
    keys = _lock_keys(sorted(one.process.key for one in found), tenant, ids)
    deployment = Deployment(id=ids.next(), tenant=tenant, name=name, actor=actor, created_at=now)
    renewed = frozenset(form.resource for form in forms)
    same = [
        _same_as_latest(keys[one.process.key], one, renewed) if duplicate_filtering else None for one in found
    ]
    new = bool(forms) or None in same
    stored = _store_files(deployment, content, ids) if new else {}
    answers = []
    armed: list[tuple[Definition, _Found]] = []
    for one, latest in zip(found, same, strict=True):
        key = keys[one.process.key]
        definition = latest or _new_version(one, key, deployment, stored[one.resource], warnings, ids, now)
        if latest is None:
            armed.append((definition, one))
        answers.append(_answer(definition, one.resource, new=latest is None))
    _rearm(armed, ids, now)
    firings = next_firings([answer["id"] for answer in answers], now)
    for answer in answers:
        answer["timer_starts"] = firings.get(answer["id"], [])
    return {
        "deployment_id": str(deployment.id) if new else _first_deployment(answers),
        "definitions": answers,
        "forms": store_forms(forms, deployment, stored, ids, now),
        "warnings": [_problem(warning) for warning in warnings],
    }


def _rearm(new: list[tuple[Definition, _Found]], ids: IdSource, now: datetime) -> None:
    """Let the starts of new versions wait instead of those of the versions before, all of which go first."""
    for definition, _ in new:
        disarm(definition.tenant, definition.key, now)
    for definition, one in new:
        if one.process.graph is not None:
            arm(definition, one.process.graph, one.resource, ids, now)


def _lock_keys(names: list[str], tenant: str, ids: IdSource) -> dict[str, DefinitionKey]:
    DefinitionKey.objects.bulk_create(
        [DefinitionKey(id=ids.next(), tenant=tenant, key=name) for name in names], ignore_conflicts=True
    )
    rows = DefinitionKey.objects.filter(tenant=tenant, key__in=names).order_by("key")
    if connection.features.has_select_for_update:
        rows = rows.select_for_update()
    return {row.key: row for row in rows}


def _store_files(deployment: Deployment, content: dict[str, bytes], ids: IdSource) -> dict[str, Resource]:
    deployment.save(force_insert=True)
    rows = [
        Resource(id=ids.next(), deployment=deployment, name=name, content=data)
        for name, data in content.items()
    ]
    return {row.name: row for row in Resource.objects.bulk_create(rows)}


def _same_as_latest(key: DefinitionKey, one: _Found, renewed: frozenset[str]) -> Definition | None:
    """Return the latest version where neither its file nor a form of its deployment has changed."""
    if key.latest_id is None or uses_file(one.process.xml, renewed):
        return None
    return Definition.objects.filter(
        pk=key.latest_id, checksum=one.process.checksum, executable=one.executable
    ).first()


def _new_version(
    one: _Found,
    key: DefinitionKey,
    deployment: Deployment,
    resource: Resource,
    warnings: list[Problem],
    ids: IdSource,
    now: datetime,
) -> Definition:
    newest = Definition.objects.filter(tenant=key.tenant, key=key.key).order_by("-version").first()
    process = one.process
    definition = Definition.objects.create(
        id=ids.next(),
        tenant=key.tenant,
        key=key.key,
        version=newest.version + 1 if newest else 1,
        version_tag=process.version_tag,
        name=process.name,
        deployment=deployment,
        resource=resource,
        checksum=process.checksum,
        executable=one.executable,
        warnings=to_text([_problem(warning) for warning in warnings if warning.resource == one.resource]),
        created_at=now,
    )
    DefinitionKey.objects.filter(pk=key.pk).update(latest=definition, events=F("events") + 1)
    DefinitionEvent.objects.create(
        tenant=key.tenant,
        key=key.key,
        sequence=key.events,
        event_type="DefinitionDeployed",
        occurred_at=now,
        actor=deployment.actor,
        payload=to_text({"definition": str(definition.id), "version": definition.version}),
    )
    return definition


def _answer(definition: Definition, resource: str, *, new: bool) -> dict[str, Any]:
    return {
        "id": str(definition.id),
        "key": definition.key,
        "version": definition.version,
        "version_tag": definition.version_tag,
        "name": definition.name,
        "resource": resource,
        "executable": definition.executable,
        "new": new,
        "deployment_id": str(definition.deployment_id),
    }


def _first_deployment(answers: list[dict[str, Any]]) -> str | None:
    return answers[0]["deployment_id"] if answers else None


def _problem(problem: Problem) -> dict[str, Any]:
    return problem.as_json()
