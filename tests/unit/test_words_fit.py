"""Words of the core fit the columns that hold them: SQLite would take any length, PostgreSQL refuses the rest."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from django.apps import apps
from django.db import models

from bpm.core import phases
from bpm.core.events import __all__ as event_names
from bpm.models import HistoryEvent, Token
from bpm.shell.tables import SPECS


def length_of(model: type[models.Model], field: str) -> int:
    """Return how many characters a column holds."""
    found = model._meta.get_field(field)
    assert isinstance(found, models.CharField)
    assert found.max_length is not None
    return found.max_length


def test_every_phase_of_a_token_fits() -> None:
    words = [word for name, word in vars(phases).items() if name.isupper() and isinstance(word, str)]
    assert words
    assert max(map(len, words)) <= length_of(Token, "phase")


def test_every_event_type_fits() -> None:
    assert max(map(len, event_names)) <= length_of(HistoryEvent, "event_type")


@pytest.mark.parametrize("name", SPECS)
def test_every_word_of_a_closed_set_fits(name: str) -> None:
    spec = SPECS[name]
    tables = {model._meta.db_table: model for model in apps.get_app_config("bpm").get_models()}
    enums: dict[str, Any] = dict(spec.enums)
    for field, enum in enums.items():
        if issubclass(enum, Enum):
            longest = max(len(str(member.value)) for member in enum)
            assert longest <= length_of(tables[spec.table], field), f"{spec.table}.{field}"
