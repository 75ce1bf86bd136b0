"""Files with forms: what is wrong in them is told all at once, with its place."""

from __future__ import annotations

import pytest

from bpm import engine
from bpm.core.errors import DefinitionInvalid
from tests.tasklist.definitions import INVOICE


def test_values_of_wrong_types_in_a_form_are_all_refused_with_their_places(db: None) -> None:
    content = b"""{"components": [
 {"type": 5},
 {"type": "textfield", "key": "a", "label": 7,
  "validate": []},
 {"type": "group", "components": [
  {"type": "select", "key": "b", "values": {}}, {"type": "text", "text": "x", "label": null}]},
 {"type": "textfield"}], "id": "f"}"""
    with pytest.raises(DefinitionInvalid) as refused:
        engine.deploy([("invoice.bpmn", INVOICE), ("bad.form", content)])
    problems = [one for one in refused.value.problems if one.line]
    assert {(one.resource, one.rule) for one in refused.value.problems} == {("bad.form", "form")}
    assert [(one.element, one.line) for one in problems] == [
        ("/components/0", 2),
        ("a", 3),
        ("a", 4),
        ("b", 6),
    ]
    assert "The type of the component /components/0 is 5, not text." in problems[0].message
    assert [one.message for one in refused.value.problems if not one.line] == [
        "A component of type textfield has no key."
    ]
