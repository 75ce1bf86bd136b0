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
        digest: by which the token is removed again.
    """

    processes: list[str]
    password: str
    token: str
    digest: str


def prepare(left: str = "") -> Prepared:
    """Create tables and groups, deploy the examples, give the demo's user a new password and token.

    Args:
        left: digest of a token that a demo before has left behind; it ends.
    """
    call_command("migrate", verbosity=0, interactive=False)
    create_groups()
    processes = deploy_examples()
    end_token(left)
    return Prepared(processes, *renew_user())


def deploy_examples() -> list[str]:
    """Deploy the shipped definitions; unchanged ones make no new version."""
    folder = files("bpm") / "examples"
    resources = sorted(
        (entry.name, entry.read_bytes()) for entry in folder.iterdir() if entry.name.endswith(".bpmn")
    )
    answer = engine.deploy(resources, name="examples", actor=USER)
    return [f"{one['key']} {one['version']}" for one in answer["definitions"]]


def renew_user() -> tuple[str, str, str]:
    """Return a new password, and a new token with its digest, of the demo's user, who may see everything.

    Other tokens stay: one may be that of a demo elsewhere with the same database.
    """
    user, _ = User.objects.get_or_create(username=USER)
    password = secrets.token_urlsafe(9)
    user.is_staff = user.is_superuser = True
    user.set_password(password)
    user.save()
    row, token = AuthToken.objects.create(user=user)
    return password, token, str(row.digest)


def end_token(digest: str) -> None:
    """End a token of the demo's user."""
    AuthToken.objects.filter(user__username=USER, digest=digest).delete()
