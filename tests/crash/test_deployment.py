"""The deployment files as shipped: supervisord starts everything, nginx speaks TLS, and nothing outlives its parent."""

from __future__ import annotations

import configparser
import os
import re
import secrets
import shutil
import signal
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.error import HTTPError, URLError

import pytest

from tests.support.children import (
    database_url,
    descendants,
    eventually,
    is_running,
    ticking_workers,
    wait_for_sessions_to_end,
)
from tests.support.commands import ROOT, clean_environment
from tests.support.readiness_watch import wait_for_red
from tests.support.running_demo import free_port

pytestmark = [pytest.mark.crash, pytest.mark.timeout(300), pytest.mark.postgresql]
FILES = ROOT / "docs" / "deployment"
PROGRAMS = ("supervisord", "nginx", "openssl")
STARTING_S = 90
SECRET_KEY = secrets.token_urlsafe(60)


class Installation(NamedTuple):
    """What runs, on the test's database."""

    supervisord: subprocess.Popen[bytes]
    web_port: int
    tls_port: int
    folder: Path

    def get(self, path: str, *, tls: bool = True) -> tuple[int, str]:
        """Return status and body; 0 where nothing answers."""
        url = f"https://127.0.0.1:{self.tls_port}" if tls else f"http://127.0.0.1:{self.web_port}"
        trusting = ssl.create_default_context(cafile=str(self.folder / "fullchain.pem"))
        trusting.check_hostname = False
        try:
            with urllib.request.urlopen(url + path, timeout=10, context=trusting) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
        except (URLError, OSError):
            return 0, ""

    def family(self) -> list[int]:
        """Return all processes below supervisord."""
        return sorted(descendants(self.supervisord.pid))


def missing_programs() -> list[str]:
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [name for name in PROGRAMS if shutil.which(name, path=path) is None]


@pytest.fixture
def installation(transactional_db: None, tmp_path: Path) -> Iterator[Installation]:
    if missing_programs():
        pytest.skip(f"not installed: {', '.join(missing_programs())}")
    web_port, tls_port = free_port(), free_port()
    environment = clean_environment({"PATH": os.environ["PATH"] + ":/usr/sbin:/sbin", **_settings(tmp_path)})
    environment |= {"BPM_ENV": str(_env_file(tmp_path)), "BPM_BIND": f"127.0.0.1:{web_port}"}
    _make_certificate(tmp_path)
    run = [str(FILES / "run"), "manage", "collectstatic", "--no-input", "--verbosity", "0"]
    subprocess.run(run, env=environment, check=True)
    supervisord = subprocess.Popen(
        ["supervisord", "--nodaemon", "-c", str(_supervisord_file(tmp_path))], env=environment
    )
    nginx = subprocess.Popen(
        ["nginx", "-p", str(tmp_path), "-c", str(_nginx_file(tmp_path, web_port, tls_port))], env=environment
    )
    try:
        yield Installation(supervisord, web_port, tls_port, tmp_path)
    finally:
        family = descendants(supervisord.pid) | descendants(nginx.pid)
        for main in (supervisord, nginx):
            main.kill()
            main.wait()
        for process in family:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        wait_for_sessions_to_end()


def _settings(folder: Path) -> dict[str, str]:
    return {
        "BPM_SECRET_KEY": SECRET_KEY,
        "BPM_ALLOWED_HOSTS": "bpm.example,127.0.0.1",
        "BPM_TRUST_PROXY": "1",
        "BPM_VAR_DIR": str(folder / "var"),
        "BPM_METRICS_TOKEN": "secret-word",
        "DATABASE_URL": database_url(),
    }


def _env_file(folder: Path) -> Path:
    """Return the shipped file with each of its variables filled in."""
    shipped = (FILES / "bpm.env").read_text()
    names = re.findall(r"^(\w+)=", shipped, re.MULTILINE)
    values = {"BPM_WEB_THREADS": "4", **_settings(folder)}
    assert set(names) == set(values)
    path = folder / "bpm.env"
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()))
    return path


def _supervisord_file(folder: Path) -> Path:
    """Return the shipped programs with this folder's paths, in a supervisord of their own."""
    shipped = configparser.ConfigParser(interpolation=None)
    shipped.read(FILES / "supervisord.conf")
    for section in shipped.sections():
        shipped.remove_option(section, "user")
        for name, value in shipped.items(section):
            value = value.replace("/srv/bpm", str(ROOT)).replace("/var/log/bpm", str(folder))
            shipped.set(section, name, value)
    user = "\nuser=root" if os.geteuid() == 0 else ""
    own = f"[supervisord]\nlogfile={folder}/supervisord.log\npidfile={folder}/supervisord.pid{user}\n"
    path = folder / "supervisord.conf"
    with path.open("w") as file:
        file.write(own)
        shipped.write(file)
    return path


def _nginx_file(folder: Path, web_port: int, tls_port: int) -> Path:
    site = (FILES / "nginx.conf").read_text()
    for shipped, here in (
        ("127.0.0.1:8000", f"127.0.0.1:{web_port}"),
        ("listen 80;", f"listen 127.0.0.1:{free_port()};"),
        ("listen 443 ssl", f"listen 127.0.0.1:{tls_port} ssl"),
        ("/etc/ssl/bpm", str(folder)),
    ):
        assert shipped in site
        site = site.replace(shipped, here)
    temporary = "".join(
        f"{name}_temp_path {folder}/{name};\n"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    path = folder / "nginx.conf"
    path.write_text(
        f"daemon off;\npid {folder}/nginx.pid;\nerror_log {folder}/nginx-error.log;\n"
        f"events {{}}\nhttp {{\naccess_log off;\n{temporary}{site}}}\n"
    )
    return path


def _make_certificate(folder: Path) -> None:
    command = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
    ]
    command += ["-subj", "/CN=bpm.example", "-days", "2"]
    command += ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run(command, check=True, capture_output=True)


def _until(condition: Callable[[], bool], what: str) -> None:
    eventually(condition, STARTING_S, what)


def test_an_installation_runs_survives_kills_and_ends_as_a_whole(installation: Installation) -> None:
    _until(lambda: _ready(installation), "everything to be ready")
    status, page = installation.get("/accounts/login/")
    assert status == 200
    style = re.search(r'href="(/static/[^"]+\.css)"', page)
    assert style is not None
    assert installation.get(style[1])[0] == 200
    assert installation.get("/metrics")[0] == 403
    for program in ("gunicorn", "cluster"):
        killed = _main(installation, program)
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        _until(partial(_came_back, installation, program, killed), f"{program} to be back after its kill")
    _until(lambda: _both_loops_tick(installation), "the new cluster's loops to tick")
    family = installation.family()
    installation.supervisord.terminate()
    assert installation.supervisord.wait(150) == 0
    _until(lambda: not any(is_running(process) for process in family), "all processes to end")


def test_ready_turns_red_within_five_seconds_of_the_loops_end(installation: Installation) -> None:
    _until(lambda: _ready(installation), "everything to be ready")
    # A worker that is forked while the others are stopped would go on.
    _until(lambda: _both_loops_tick(installation), "all loops to tick")
    cluster = [process for process in installation.family() if "manage.py cluster" in _command(process)]
    for process in cluster:
        os.kill(process, signal.SIGSTOP)
    wait_for_red(lambda: _loops_are_well(installation), time.monotonic())
    for process in cluster:
        os.kill(process, signal.SIGCONT)


def _ready(installation: Installation) -> bool:
    # The queue's first task may take a minute; the loops are what counts here.
    return bool(_loops_are_well(installation, tls=True))


def _loops_are_well(installation: Installation, *, tls: bool = False) -> bool | None:
    """Return what `/ready` says of them; None where it does not answer."""
    status, body = installation.get("/ready", tls=tls)
    return '"loops": "ok"' in body if status in (200, 503) and "checks" in body else None


def _main(installation: Installation, program: str) -> int | None:
    """Return the process of a program that has the others of it below; None while there is none."""
    below = {one: len(descendants(one)) for one in installation.family() if program in _command(one)}
    return max((one for one, number in below.items() if number), key=lambda one: below[one], default=None)


def _came_back(installation: Installation, program: str, killed: int) -> bool:
    return _main(installation, program) not in (None, killed) and _ready(installation)


def _both_loops_tick(installation: Installation) -> bool:
    return len(ticking_workers().intersection(installation.family())) == 2


def _command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
