"""How rows are written: new ones, usual changes, all that may change, or either."""

from __future__ import annotations

from typing import Any

import pytest

from bpm.shell.columns import CHANGING_COLUMNS, INSTANCE_COLUMNS, USUAL_COLUMNS
from bpm.shell.sql.document import CHANGED, STARTED, Document
from bpm.shell.sql.row_template import Mode, RowTemplate, Template
from bpm.shell.sql.writing import cells
from bpm.shell.table_spec import TableSpec
from bpm.shell.tables import SPECS

USUAL = [spec for spec in SPECS.values() if spec.usual]


def row_of(spec: TableSpec, **changes: object) -> Any:
    return spec.row._make(changes.get(name, f"the {name}") for name in spec.fields)


@pytest.mark.parametrize("spec", USUAL, ids=lambda spec: spec.name)
def test_usual_is_what_differs_in_usual_fields_alone(spec: TableSpec) -> None:
    before = row_of(spec)
    for name in spec.fields:
        assert spec.changes_usually(before, row_of(spec, **{name: "another"})) is (name in spec.usual), name
    both = row_of(spec, **{spec.usual[0]: "another", spec.fields[0]: "another"})
    assert not spec.changes_usually(before, both)


@pytest.mark.parametrize("spec", SPECS.values(), ids=lambda spec: spec.name)
def test_usual_fields_may_change(spec: TableSpec) -> None:
    assert set(spec.usual) <= set(spec.changing)
    if not spec.usual:
        assert not spec.changes_usually(row_of(spec), row_of(spec))


def test_usual_columns_of_an_instance_may_change() -> None:
    assert USUAL_COLUMNS < CHANGING_COLUMNS < {name for name, _ in INSTANCE_COLUMNS}


@pytest.mark.parametrize("spec", USUAL, ids=lambda spec: spec.name)
def test_an_update_takes_its_key_and_what_it_sets(spec: TableSpec) -> None:
    def taken(mode: Mode) -> set[str]:
        return {spec.columns[at] for at in cells(spec.name, mode) or ()}

    assert taken("usual") == {*spec.key, *spec.usual}
    assert taken("usual") < taken("update") <= {*spec.key, *spec.changing}
    assert cells(spec.name, "insert") is cells(spec.name, "upsert") is None


@pytest.mark.parametrize(
    ("modes", "whole"),
    [
        (["insert", "insert"], "insert"),
        (["usual", "usual"], "usual"),
        (["usual", "update"], "update"),
        (["update", "insert"], "upsert"),
        (["usual", "insert"], "upsert"),
        (["usual", "insert", "update"], "upsert"),
    ],
)
def test_a_part_is_written_in_a_way_that_does_for_all_its_rows(modes: list[Mode], whole: Mode) -> None:
    document = Document()
    for mode in modes:
        document.put("tokens", [mode], mode)
    assert document.modes() == [("tokens", whole)]
    assert [document.mode_of("tokens", number) for number in range(len(modes))] == modes


def test_rows_that_are_written_alike_are_filled_in_for_the_whole_part() -> None:
    def texts(*modes: Mode) -> dict[Mode, Template]:
        return {mode: Template(f"{mode} %s", lambda values: values[0]) for mode in modes}

    usual = RowTemplate("tokens", "usual", texts("usual", "update", "upsert"))
    started = RowTemplate(STARTED, "insert", texts("insert", "upsert"))
    changed = RowTemplate(CHANGED, "usual", texts("usual", "update", "upsert"))
    document = Document()
    alike = (usual, changed)
    document.put_alike(alike, ["a"], "[history of a]")
    document.put_alike(alike, ["b"], "[history of b]")
    assert document.instances == 2
    assert {part.key: (part.mode, part.texts) for part in document.parts()} == {
        CHANGED: ("usual", ["usual a", "usual b"]),
        "tokens": ("usual", ["usual a", "usual b"]),
        "history": ("insert", ["[history of a]", "[history of b]"]),
    }
    document.put_alike((started,), ["c"], "[history of c]")
    document.put("tokens", ["d"], "update")
    document.put(CHANGED, ["d"], "update")
    parts = {part.key: part for part in document.parts()}
    assert parts[STARTED].texts == ["insert c"]
    assert (parts["tokens"].mode, parts["tokens"].texts, parts["tokens"].rows) == (
        "update",
        ["update a", "update b"],
        [["d"]],
    )
    assert document.count("tokens") == 3
    assert document.instances == 4
