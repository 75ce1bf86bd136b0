"""Every process of the interchange group's files, taken as executable: deployed and started through the API.

What becomes of each stands in miwg_outcomes.json; `BPM_CORPUS_WRITE=1` writes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from knox.models import AuthToken
from lxml import etree

from bpm.bpmn import read_file
from bpm.bpmn.namespaces import MODEL
from bpm.core.errors import DefinitionInvalid
from bpm.models import Incident
from tests.api.caller import Api
from tests.support import corpus_scores
from tests.support.between import at, status
from tests.support.corpus import corpus_dir

MIWG = corpus_dir("miwg")
FILES: list[str] = sorted(json.loads((MIWG / "expected.json").read_text(encoding="utf-8"))["files"])
OUTCOMES = Path(__file__).parent / "miwg_outcomes.json"

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    """A caller who may do everything."""
    user = User.objects.create_superuser("olga", password="-")
    _, key = AuthToken.objects.create(user)
    return Api(Client(), authorization=f"Token {key}")


def outcomes(api: Api, name: str) -> dict[str, str]:
    """Return each process of a file with what becomes of it."""
    content = (MIWG / name).read_bytes()
    whole = api.deploy(content, force_executable="true", resource="file.bpmn")
    assert whole.status in (201, 422), whole.body
    try:
        processes = read_file(content, force_executable=True).processes
    except DefinitionInvalid as invalid:
        assert whole.status == 422
        return {"": _refused(invalid.problems)}
    refused = {number: one.problems for number, one in enumerate(processes) if one.problems}
    assert bool(refused) == (whole.status == 422)
    found: dict[str, str] = {}
    for number, process in enumerate(processes):
        key = process.key if process.key not in found else f"{process.key}#{number + 1}"
        if number in refused:
            found[key] = _refused(refused[number])
        else:
            alone = api.deploy(_only(content, number), duplicate_filtering="false")
            found[key] = _started(api, process.key, alone.ok(201))
    return found


def _refused(problems: Any) -> str:
    return "refused: " + ", ".join(sorted({problem.rule for problem in problems}))


def _only(content: bytes, wanted: int) -> bytes:
    """Return the file with one process marked as executable and no other."""
    root = etree.fromstring(content)
    for number, process in enumerate(root.findall(f"{{{MODEL}}}process")):
        process.set("isExecutable", "true" if number == wanted else "false")
    return etree.tostring(root)


def _started(api: Api, key: str, deployed: Any) -> str:
    definition = next(one for one in deployed["definitions"] if one["key"] == key)
    answer = api.post("/process-instances", {"process_def_id": definition["id"]})
    if answer.status == 422:
        answer.problem(422, "NotStartable")
        return f"started by: {answer.body['detail'].partition('starts by ')[2].rstrip('.')}"
    instance = str(answer.ok(201)["instance_id"])
    rows = Incident.objects.filter(instance__id=instance, status="OPEN").values_list("kind", "node")
    failed = [f"{kind} at {node}" for kind, node in sorted(rows)]
    places = sorted(set(at(instance)))
    parts = [status(instance).lower(), *places, *failed]
    return f"{parts[0]}: {', '.join(parts[1:])}" if parts[1:] else parts[0]


def _committed() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = (
        json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.exists() else {}
    )
    return found


@pytest.fixture(scope="module")
def written() -> Iterator[dict[str, dict[str, str]]]:
    """Collect what was found, and write it where that is asked for."""
    found: dict[str, dict[str, str]] = {}
    yield found
    if corpus_scores.writing() and found:
        text = json.dumps(_committed() | found, indent=2, sort_keys=True, ensure_ascii=False)
        OUTCOMES.write_text(text + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_every_process_ends_waits_or_is_refused_by_rule(
    api: Api, name: str, written: dict[str, dict[str, str]]
) -> None:
    found = written[name] = outcomes(api, name)
    if not corpus_scores.writing():
        assert found == _committed()[name]


def test_the_table_holds_every_file(written: dict[str, dict[str, str]]) -> None:
    assert sorted(_committed() | written) == FILES
