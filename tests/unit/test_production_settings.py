"""Settings as a production start sees them, each in a process of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import run_python

KEY = "abcdefghijklmnopqrstuvwxyz0123456789" * 2
HOSTS = "bpm.example"


@pytest.fixture
def var_dir(tmp_path: Path) -> str:
    return str(tmp_path)


def _settings(*names: str, **variables: str) -> dict[str, object]:
    program = (
        "import json; from bpm.project import settings as s; "
        f"print(json.dumps({{name: getattr(s, name) for name in {names!r}}}, default=str))"
    )
    done = run_python("-c", program, **variables)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_deployment_checks_of_django_find_nothing(var_dir: str) -> None:
    done = run_python(
        *("manage.py", "check", "--deploy", "--tag", "security", "--fail-level", "INFO"),
        BPM_SECRET_KEY=KEY,
        BPM_ALLOWED_HOSTS=HOSTS,
        BPM_VAR_DIR=var_dir,
    )
    assert done.returncode == 0, done.stderr


def test_production_needs_a_key_and_says_so(var_dir: str) -> None:
    done = run_python("manage.py", "check", BPM_VAR_DIR=var_dir)
    assert done.returncode != 0
    assert "BPM_SECRET_KEY is not set" in done.stderr


def test_https_is_the_default_in_production_and_off_on_a_developers_machine(var_dir: str) -> None:
    names = ("SECURE_SSL_REDIRECT", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "DEBUG")
    production = _settings(*names, BPM_SECRET_KEY=KEY, BPM_VAR_DIR=var_dir)
    assert production == dict.fromkeys(names[:3], True) | {"DEBUG": False}
    local = _settings(*names, BPM_DEBUG="1", BPM_VAR_DIR=var_dir)
    assert local == dict.fromkeys(names[:3], False) | {"DEBUG": True}


def test_a_wrong_value_stops_the_start_and_names_variable_and_rule(var_dir: str) -> None:
    done = run_python("manage.py", "check", BPM_SECRET_KEY=KEY, BPM_VAR_DIR=var_dir, BPM_TIME_ZONE="Nowhere")
    assert done.returncode != 0
    assert "BPM_TIME_ZONE='Nowhere': expected an IANA zone name" in done.stderr


def test_log_lines_are_json_with_bound_ids(var_dir: str) -> None:
    program = (
        "import django; django.setup(); import logging, structlog; "
        "structlog.contextvars.bind_contextvars(instance_id='i-1'); "
        "structlog.get_logger('bpm').warning('stalled', node='a'); "
        "logging.getLogger('other').error('plain %s', 1)"
    )
    done = run_python(
        *("-c", program),
        DJANGO_SETTINGS_MODULE="bpm.project.settings",
        BPM_SECRET_KEY=KEY,
        BPM_VAR_DIR=var_dir,
    )
    first, second = (json.loads(line) for line in done.stderr.splitlines())
    assert (first["event"], first["node"], first["level"]) == ("stalled", "a", "warning")
    assert (second["event"], second["logger"]) == ("plain 1", "other")
    assert first["instance_id"] == second["instance_id"] == "i-1"
