"""Forms as pages and callers need them: those of a process, and deployed ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final, NamedTuple

from bpm.bpmn.file_index import walk
from bpm.bpmn.forms.component_types import wrong_values
from bpm.bpmn.forms.field import Form
from bpm.bpmn.forms.form_json import FormInvalid, read_form_json
from bpm.bpmn.forms.node_forms import OF_DEPLOYMENT, ProcessForms, read_process_forms
from bpm.bpmn.limits import DEFAULT_LIMITS
from bpm.bpmn.xml import read_xml
from bpm.core.errors import DefinitionNotFound, Problem
from bpm.core.ids import Id, IdSource
from bpm.core.values import from_outside, to_text
from bpm.core.xml import XmlElement
from bpm.models import Definition, Deployment, FormDefinition, Resource

SUFFIX: Final = ".form"
_KEPT: Final = 1_000


class DefinitionForms(NamedTuple):
    """The forms of one version of a process."""

    tenant: str
    deployment: str
    forms: ProcessForms


class FormFile(NamedTuple):
    """A form in a file that is being deployed."""

    resource: str
    form: Form
    checksum: str


def read_form_file(name: str, data: bytes) -> FormFile:
    """Return the form in a file; without an id it has the file's name, less its ending.

    Raises:
        FormInvalid: it is none.
    """
    form = read_form_json(data)
    content = to_text(from_outside(data.decode("utf-8-sig")))
    return FormFile(name, form, sha256(content.encode()).hexdigest())


def is_form_file(name: str) -> bool:
    """Return whether a file of a deployment is a form."""
    return name.endswith(SUFFIX)


def read_form_files(resources: Sequence[tuple[str, bytes]]) -> tuple[list[FormFile], list[Problem]]:
    """Return the forms among the files of a deployment, and what is wrong with others of them."""
    found: list[FormFile] = []
    problems: list[Problem] = []
    for name, data in resources:
        if not is_form_file(name):
            continue
        try:
            found.append(read_form_file(name, data))
        except FormInvalid as error:
            problems.append(Problem("", 0, "form", str(error), name))
        problems += [
            Problem(wrong.component, wrong.line, "form", wrong.message, name) for wrong in wrong_values(data)
        ]
    keys = Counter(form_key(file) for file in found)
    problems += [
        Problem(key, 0, "duplicate-form", f"The form {key} stands twice in this deployment.")
        for key in sorted(key for key, count in keys.items() if count > 1)
    ]
    return found, problems


def form_key(file: FormFile) -> str:
    """Return the key under which a deployed form is found."""
    return (file.form.key or file.resource.removesuffix(SUFFIX))[:255]


def changed_forms(files: Sequence[FormFile], tenant: str, *, duplicate_filtering: bool) -> list[FormFile]:
    """Return the forms that differ from the newest of their key. One statement, none without forms."""
    if not files or not duplicate_filtering:
        return list(files)
    newest = _newest(files, tenant)
    return [file for file in files if newest.get(form_key(file), (0, ""))[1] != file.checksum]


def _newest(files: Sequence[FormFile], tenant: str) -> dict[str, tuple[int, str]]:
    keys = [form_key(file) for file in files]
    rows = FormDefinition.objects.filter(tenant=tenant, key__in=keys).order_by("version")
    return {
        key: (version, checksum) for key, version, checksum in rows.values_list("key", "version", "checksum")
    }


def store_forms(
    files: Sequence[FormFile],
    deployment: Deployment,
    stored: dict[str, Resource],
    ids: IdSource,
    now: datetime,
) -> list[dict[str, Any]]:
    """Store new versions, and return `id key version resource` of each. Two statements."""
    if not files:
        return []
    newest = _newest(files, deployment.tenant)
    rows = [
        FormDefinition(
            id=ids.next(),
            tenant=deployment.tenant,
            key=form_key(file),
            version=newest.get(form_key(file), (0, ""))[0] + 1,
            deployment=deployment,
            resource=stored[file.resource],
            checksum=file.checksum,
            created_at=now,
        )
        for file in files
    ]
    FormDefinition.objects.bulk_create(rows)
    return [
        {"id": str(row.id), "key": row.key, "version": row.version, "resource": row.resource.name}
        for row in rows
    ]


def uses_file(process: XmlElement, names: frozenset[str]) -> bool:
    """Return whether a process shows one of these files of its own deployment as a form."""
    wanted = {OF_DEPLOYMENT + name for name in names}
    return bool(wanted) and any(
        (xml.extension("formKey") or xml.get("formKey")) in wanted for xml in walk(process)
    )


@lru_cache(maxsize=_KEPT)
def forms_of_definition(definition: Id) -> DefinitionForms:
    """Return the forms of a version. One statement the first time a process asks for it, then none.

    Raises:
        DefinitionNotFound: there is no such version.
    """
    found = Definition.objects.filter(id=definition)
    row = found.values_list("resource__content", "key", "tenant", "deployment_id").first()
    if row is None:
        raise DefinitionNotFound(definition=definition)
    content, key, tenant, deployment = row
    root = read_xml(bytes(content), DEFAULT_LIMITS)
    process = next(xml for xml in root.all("process") if (xml.id or "process") == key)
    return DefinitionForms(tenant, str(deployment), read_process_forms(process, root))


def newest_form(tenant: str, key: str, *, deployment: str = "", version: int | None = None) -> Form | None:
    """Return a deployed form: the newest of its key, that of a deployment, or a version. One or two statements."""
    rows = FormDefinition.objects.filter(tenant=tenant, key=key)
    if deployment:
        rows = rows.filter(deployment_id=deployment)
    if version is not None:
        rows = rows.filter(version=version)
    found = rows.order_by("-version").values_list("resource_id", flat=True).first()
    return None if found is None else _form_of_resource(str(found))


def form_of_file(deployment: str, name: str) -> Form | None:
    """Return the form in a file of a deployment. One or two statements."""
    found = Resource.objects.filter(deployment_id=deployment, name=name).values_list("id", flat=True).first()
    return None if found is None else _form_of_resource(str(found))


@lru_cache(maxsize=_KEPT)
def _form_of_resource(resource: Id) -> Form:
    content = Resource.objects.values_list("content", flat=True).get(id=resource)
    return read_form_json(bytes(content))
