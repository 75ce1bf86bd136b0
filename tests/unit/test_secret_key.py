from __future__ import annotations

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from bpm.project.environment import Environment
from bpm.project.secret_key import read_secret_key


def test_the_given_key_is_used_and_nothing_is_stored(tmp_path: Path) -> None:
    key = read_secret_key(Environment({"BPM_SECRET_KEY": "given"}), tmp_path / "key", may_generate=True)
    assert key == "given"
    assert not (tmp_path / "key").exists()


def test_a_generated_key_is_kept_for_the_next_start_and_closed_to_others(tmp_path: Path) -> None:
    store = tmp_path / "var" / "key"
    first = read_secret_key(Environment({}), store, may_generate=True)
    assert read_secret_key(Environment({}), store, may_generate=True) == first
    assert len(first) >= 50
    assert store.stat().st_mode & 0o077 == 0


def test_production_refuses_to_start_without_a_key(tmp_path: Path) -> None:
    with pytest.raises(ImproperlyConfigured, match="BPM_SECRET_KEY is not set"):
        read_secret_key(Environment({}), tmp_path / "key", may_generate=False)


def test_an_empty_key_file_is_named_not_used(tmp_path: Path) -> None:
    (tmp_path / "key").touch()
    with pytest.raises(ImproperlyConfigured, match="is empty"):
        read_secret_key(Environment({}), tmp_path / "key", may_generate=True)
