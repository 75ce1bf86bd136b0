"""What the demo needs in its database before anything starts."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from importlib.resources import files

from django.contrib.auth.models import User
from django.core.management import call_command
from knox.models import AuthToken

from bpm import engine
from bpm.access.groups import create_groups

USER = "demo"


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was set up.

    Attributes:
        processes: `key version` of each example.
        password, token: of the user `demo`, new at each start.
    """

    processes: list[str]
    password: str
    token: str


def prepare() -> Prepared:
    """Create tables and groups, deploy the examples, give the demo's user a new password and token."""
    call_command("migrate", verbosity=0, interactive=False)
    create_groups()
    processes = deploy_examples()
    password, token = renew_user()
    return Prepared(processes, password, token)


def deploy_examples() -> list[str]:
    """Deploy the shipped definitions; unchanged ones make no new version."""
    folder = files("bpm") / "examples"
    resources = sorted(
        (entry.name, entry.read_bytes()) for entry in folder.iterdir() if entry.name.endswith(".bpmn")
    )
    answer = engine.deploy(resources, name="examples", actor=USER)
    return [f"{one['key']} {one['version']}" for one in answer["definitions"]]


def renew_user() -> tuple[str, str]:
    """Return a new password and a new token of the demo's user, who may see everything; older ones end."""
    user, _ = User.objects.get_or_create(username=USER)
    password = secrets.token_urlsafe(9)
    user.is_staff = user.is_superuser = True
    user.set_password(password)
    user.save()
    AuthToken.objects.filter(user=user).delete()
    _, token = AuthToken.objects.create(user=user)
    return password, token
