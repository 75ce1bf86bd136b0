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


def _check(*arguments: str, **variables: str) -> str:
    done = run_python("manage.py", "check", *arguments, **variables)
    return f"{done.returncode} {done.stderr}"


def test_every_check_finds_nothing_with_production_settings(var_dir: str) -> None:
    said = _check(
        *("--deploy", "--fail-level", "INFO"),
        BPM_SECRET_KEY=KEY,
        BPM_ALLOWED_HOSTS=HOSTS,
        BPM_VAR_DIR=var_dir,
        BPM_METRICS_TOKEN="0123456789abcdef",
    )
    assert said.startswith("0 "), said


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        (
            {"BPM_ALOWED_HOSTS": "x"},
            "BPM_ALOWED_HOSTS means nothing here.\n\tHINT: Did you mean BPM_ALLOWED_HOSTS?",
        ),
        ({"BPM_OPEN_ON_LOOPBACK": "1"}, "BPM_OPEN_ON_LOOPBACK opens the API"),
        ({"BPM_DEMO": "1"}, "BPM_DEMO is set"),
        ({"BPM_ALLOWED_HOSTS": "*"}, "BPM_ALLOWED_HOSTS=*"),
        ({"BPM_METRICS_TOKEN": "short"}, "BPM_METRICS_TOKEN can be guessed"),
        ({"BPM_SECRET_KEY": "short"}, "BPM_SECRET_KEY can be guessed"),
        ({"BPM_SECRET_KEY": "a" * 60}, "BPM_SECRET_KEY can be guessed"),
        ({"BPM_LOGIN_FAILURES": "many"}, "BPM_LOGIN_FAILURES='many': expected a whole number"),
        ({"BPM_HTTPS": "perhaps"}, "BPM_HTTPS='perhaps': expected 1, true"),
        ({"DATABASE_URL": "mysql://root:hidden@db/x"}, "DATABASE_URL: expected sqlite"),
        ({"BPM_VAR_DIR": "/proc/nothing"}, "the folder /proc/nothing cannot be made"),
        (
            {
                "BPM_VAR_DIR": "/proc/nothing",
                "DATABASE_URL": "postgresql://x@nowhere/y",
                "PROMETHEUS_MULTIPROC_DIR": "",
            },
            "BPM_VAR_DIR: the folder /proc/nothing/metrics cannot be made or written",
        ),
        ({"BPM_RETENTION_FOLDER": "archive"}, "BPM_RETENTION_FOLDER='archive': expected an absolute path"),
        ({"BPM_RETENTION_FOLDER": "/dev/null/x"}, "this account cannot write /dev/null"),
    ],
)
def test_what_is_wrong_is_said_with_its_variable(
    var_dir: str, variables: dict[str, str], expected: str
) -> None:
    usual = {"BPM_SECRET_KEY": KEY, "BPM_ALLOWED_HOSTS": HOSTS, "BPM_VAR_DIR": var_dir}
    said = _check("--deploy", "--fail-level", "WARNING", **usual | variables)
    assert not said.startswith("0 ")
    assert expected in said
    assert "Traceback" not in said
    for secret in ("short'", "hidden", KEY):
        assert secret not in said


def test_cookies_and_transport_are_strict_in_production(var_dir: str) -> None:
    expected = {
        "SESSION_COOKIE_SECURE": True,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "CSRF_COOKIE_SECURE": True,
        "SECURE_SSL_REDIRECT": True,
        "SECURE_HSTS_SECONDS": 3_600,
        "X_FRAME_OPTIONS": "DENY",
        "DEBUG": False,
        "SECURE_PROXY_SSL_HEADER": None,
    }
    assert _settings(*expected, BPM_SECRET_KEY=KEY, BPM_VAR_DIR=var_dir) == expected
    policy = _settings("CONTENT_SECURITY_POLICY", BPM_SECRET_KEY=KEY, BPM_VAR_DIR=var_dir)
    assert "unsafe" not in json.dumps(policy)


def test_the_limits_come_from_variables(var_dir: str) -> None:
    found = _settings(
        "BPM",
        BPM_SECRET_KEY=KEY,
        BPM_VAR_DIR=var_dir,
        BPM_REQUESTS_PER_MINUTE="600",
        BPM_OPEN_POLLS="3",
        BPM_RUNNING_INSTANCES="1000",
    )["BPM"]
    assert isinstance(found, dict)
    assert (found["REQUESTS_PER_MINUTE"], found["OPEN_POLLS"], found["RUNNING_INSTANCES"]) == (600, 3, 1000)
