"""A host project with the REST interface, set up as the page says and with nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.commands import ROOT, clean_environment
from tests.support.pages import DOCS, text_of

PAGE = DOCS / "how-to" / "install-in-your-project.md"
OWN_APPS = [f"django.contrib.{name}" for name in ("auth", "contenttypes", "sessions", "staticfiles")]
HOST = """
import datetime

SECRET_KEY = "only-for-tests-" * 5
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
STATIC_URL = "static/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ROOT_URLCONF = "host_urls"
MIDDLEWARE = []
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
"""
VISIT = """
import django
django.setup()
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now
from knox.models import AuthToken

call_command("migrate", verbosity=0)
call_command("check", fail_level="WARNING")
token, key = AuthToken.objects.create(User.objects.create_superuser("ada"))
print((token.expiry - now()).days)
for path in ("health", "process-instances", "openapi.json"):
    answer = Client().get(f"/api/v1/{path}", headers={"Authorization": f"Token {key}"})
    print(path, answer.status_code)
"""


def _host(database: Path) -> tuple[str, str]:
    """Return the host's settings and its routes: the apps, settings and route that the page names."""
    section = " ".join(text_of(PAGE).partition("## 6. REST\n")[2].partition("\n## ")[0].split())
    apps, _, rest = section.partition("in `INSTALLED_APPS`")
    names = re.findall(r"`([A-Z_]+)`", rest.partition(" from `bpm/project/settings.py`")[0])
    (route,) = re.findall(r"`(path\(.*?\))`", rest)
    options = {"transaction_mode": "IMMEDIATE"}
    default = {"ENGINE": "django.db.backends.sqlite3", "NAME": str(database), "OPTIONS": options}
    own: dict[str, object] = {
        "INSTALLED_APPS": ["bpm", *OWN_APPS, *re.findall(r"`([a-z_.]+)`", apps)],
        "DATABASES": {"default": default},
        **{name: getattr(settings, name) for name in names},
    }
    lines = [f"{name} = {value!r}\n" for name, value in own.items()]
    return HOST + "".join(lines), f"from django.urls import include, path\nurlpatterns = [{route}]\n"


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_host_set_up_as_the_page_says_migrates_and_answers(tmp_path: Path) -> None:
    host, routes = _host(tmp_path / "host.sqlite3")
    (tmp_path / "host.py").write_text(host)
    (tmp_path / "host_urls.py").write_text(routes)
    path = f"{tmp_path}:{ROOT}"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", VISIT],
        cwd=tmp_path,
        env=clean_environment({"DJANGO_SETTINGS_MODULE": "host", "PYTHONPATH": path}),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[-5:-1] == [
        "364",
        "health 200",
        "process-instances 200",
        "openapi.json 200",
    ], done.stdout
