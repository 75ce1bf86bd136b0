"""`manage.py erase`: one person's data, wherever it is."""

from __future__ import annotations

import io
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command

from bpm import engine
from bpm.models import HistoryEvent, Variable
from bpm.shell.verifying import verify_each
from tests.support.loop_models import deploy, process


def instance(customer: str, key: str | None = None) -> str:
    answer = engine.start("p", business_key=key, variables={"customer": customer, "amount": 3})
    return str(answer["instance_id"])


def told(*words: str, **options: object) -> list[str]:
    output = io.StringIO()
    call_command("erase", *words, stdout=output, **options)
    return output.getvalue().splitlines()


def test_all_instances_of_a_person_are_found_and_erased(transactional_db: None) -> None:
    deploy(process("p"))
    ours = [instance("Ada Lovelace") for _ in range(3)]
    other = instance("Grace Hopper")
    assert sorted(told(variable=["customer", "Ada Lovelace"], dry_run=True)) == sorted(ours)
    assert told(variable=["customer", "Ada Lovelace"], reason="asked to")[-1].startswith("3 instances, ")
    assert not HistoryEvent.objects.filter(payload__contains="Ada Lovelace").exists()
    assert not Variable.objects.filter(value__contains="Ada Lovelace").exists()
    assert HistoryEvent.objects.filter(instance_id=UUID(other), payload__contains="Grace Hopper").exists()
    assert told(variable=["customer", "Ada Lovelace"])[-1] == "0 instances, 0 events and 0 values erased"
    sequences = {str(row): last for row, last in _last_sequences()}
    assert not any(result.findings for result in verify_each((one, sequences[one] + 1) for one in ours))


def _last_sequences() -> list[tuple[object, int]]:
    from bpm.models import ProcessInstance

    return list(ProcessInstance.objects.values_list("id", "last_sequence"))


def test_a_business_key_and_single_variables_narrow_it(transactional_db: None) -> None:
    deploy(process("p"))
    ours = instance("Ada", "order-1")
    instance("Ada", "order-2")
    told(business_key="order-1", only=["customer"])
    left = set(Variable.objects.filter(instance_id=UUID(ours)).values_list("name", flat=True))
    assert "amount" in left
    assert HistoryEvent.objects.filter(payload__contains='"Ada"').count() == 1


def test_it_says_what_is_missing(transactional_db: None) -> None:
    with pytest.raises(CommandError, match="Name instances"):
        told()
    with pytest.raises(CommandError, match="no such process instance"):
        told("0197ab2c-0000-7000-8000-000000000000")
