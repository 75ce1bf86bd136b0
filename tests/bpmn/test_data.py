"""Data associations as the reader sees them; how they run stands in tests/semantics/test_data.py."""

from __future__ import annotations

import pytest

from bpm.core.mappings import DataName, DataSource
from tests.bpmn.files import LINE, around, found, graph, read

DATA = (
    '<dataObject id="o1" name="order"/><dataObject id="o2"/><dataObject id="o3"/>'
    '<dataObjectReference id="r1" dataObjectRef="o1" name="Order [new]"/>'
    '<dataObjectReference id="r2" dataObjectRef="o2" name="invoice [open]"/>'
    '<dataObjectReference id="r3" dataObjectRef="o3"/>'
    '<property id="total" name="Grand total"/><dataStoreReference id="store" name="files"/>'
)


def copied(source: str, target: str = "in") -> str:
    """Return a task into whose input a source is copied."""
    return around(
        '<task id="x"><ioSpecification><dataInput id="in" name="wanted"/></ioSpecification><dataInputAssociation>'
        f"<sourceRef>{source}</sourceRef><targetRef>{target}</targetRef></dataInputAssociation></task>"
    )


@pytest.mark.parametrize(
    ("reference", "name"),
    [
        ("r1", "order"),
        ("o1", "order"),
        ("r2", "invoice"),
        ("r3", "o3"),
        ("total", "total"),
        ("t:r1", "order"),
    ],
)
def test_data_elements_are_variables(reference: str, name: str) -> None:
    node = graph(DATA + copied(reference)).nodes["x"]
    (mapping,) = node.inputs
    assert mapping.target == ("wanted",)
    assert mapping.source == DataSource((DataName((name,)),))
    assert node.layered


def test_the_process_knows_its_data() -> None:
    assert graph(DATA + LINE).root.data == ("order", "invoice", "o3", "total")


@pytest.mark.parametrize(
    ("inside", "rule"),
    [
        (copied("nowhere"), "dangling-reference"),
        (copied("r1", "nowhere"), "dangling-reference"),
        (copied("r1</sourceRef><sourceRef>r2"), "data-association"),
        (
            around(
                "<task id='x'><dataInputAssociation><assignment><from>1</from><to>a b()</to></assignment>"
                "</dataInputAssociation></task>"
            ),
            "mapping-target",
        ),
        (
            around(
                "<task id='x'><dataInputAssociation><assignment><to>a</to></assignment></dataInputAssociation></task>"
            ),
            "empty-expression",
        ),
        (
            around(
                "<task id='x'><dataInputAssociation><targetRef>total</targetRef>"
                "<transformation language='XPath'>a</transformation></dataInputAssociation></task>"
            ),
            "expression-language",
        ),
    ],
)
def test_associations_that_say_nothing_are_refused(inside: str, rule: str) -> None:
    assert found(read(DATA + inside).problems) == {("x", rule)}


def test_a_data_store_is_only_drawn() -> None:
    model = read(DATA + copied("store"))
    assert model.problems == ()
    assert found(model.warnings) == {("x", "data-association")}


@pytest.mark.parametrize("tag", ["potentialOwner", "humanPerformer"])
def test_a_role_of_a_user_task_names_somebody(tag: str) -> None:
    assert found(read(around(f'<userTask id="x"><{tag}/></userTask>')).problems) == {("x", "resource-role")}
    assert read(around(f'<task id="x"><{tag}/></task>')).problems == ()
