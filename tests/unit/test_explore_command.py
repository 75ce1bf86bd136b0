"""`manage.py explore`: a file in, what can go wrong out; no database."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.support.model import parse_model
from tests.support.model_xml import write_xml

WRONG = "start s -> f\nxor f -> a [x], b [else]\nuser a -> j\nuser b -> j\npar j -> e\nend e"
RIGHT = "start s -> a\nexternal a -> e\nend e"


def _file(tmp_path: Path, text: str) -> str:
    path = tmp_path / f"{len(text)}.bpmn"
    path.write_bytes(write_xml(parse_model(text, "p")))
    return str(path)


def test_a_fault_is_told_step_by_step_and_written_as_json(tmp_path: Path) -> None:
    out, report = StringIO(), tmp_path / "report.json"
    with pytest.raises(CommandError, match="1 found"):
        call_command("explore", _file(tmp_path, WRONG), json=report, stdout=out)
    lines = out.getvalue().splitlines()
    assert lines[0].startswith("p: ")
    assert lines[0].endswith("all of it")
    assert lines[1].startswith("  deadlock at j: ")
    assert lines[2:] == ["    1. the process is started: f takes f_a", "    2. the user task a is completed"]
    (written,) = json.loads(report.read_text())
    assert written["complete"] is True
    assert [finding["rule"] for finding in written["findings"]] == ["deadlock"]


def test_where_nothing_is_wrong_it_says_how_much_was_looked_at(tmp_path: Path) -> None:
    whole, plain = StringIO(), StringIO()
    call_command("explore", _file(tmp_path, RIGHT), stdout=whole)
    call_command("explore", _file(tmp_path, RIGHT), "--plain", stdout=plain)
    assert whole.getvalue().strip() == "p: 4 situations, 6 steps, all of it"
    assert plain.getvalue().strip() == "p: 2 situations, 2 steps, all of it"


def test_bounds_are_kept(tmp_path: Path) -> None:
    out = StringIO()
    call_command("explore", _file(tmp_path, RIGHT), "--states", "1", stdout=out)
    assert "up to the bound of states" in out.getvalue()


def test_what_cannot_be_explored_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.bpmn"
    broken.write_text("<nothing/>")
    for arguments, message in (
        ([str(tmp_path / "none.bpmn")], "none.bpmn"),
        ([str(broken)], "not-bpmn"),
        ([_file(tmp_path, RIGHT), "--process", "other"], "no such process"),
        ([_file(tmp_path, "start s -> a\nscript a format=cobol script=x -> e\nend e")], "script"),
    ):
        with pytest.raises(CommandError, match=message):
            call_command("explore", *arguments)
