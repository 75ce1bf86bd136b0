"""Where Django's secret key comes from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key

from bpm.project.environment import Environment

MIN_LENGTH: Final = 50
MIN_CHARACTERS: Final = 5


def read_secret_key(environment: Environment, store: Path, *, may_generate: bool) -> str:
    """Return ``BPM_SECRET_KEY``, or a key kept in ``store`` where one may be generated.

    Args:
        environment: where the variable is read from.
        store: file that keeps the generated key, so that sessions outlive a restart.
        may_generate: true for the demo and for development only.

    Raises:
        ImproperlyConfigured: no key is given and none may be generated, or it is too short.
    """
    key = environment.text("BPM_SECRET_KEY")
    if key and not may_generate and (len(key) < MIN_LENGTH or len(set(key)) < MIN_CHARACTERS):
        raise ImproperlyConfigured(
            f"BPM_SECRET_KEY can be guessed: give at least {MIN_LENGTH} random characters."
        )
    if key:
        return key
    if not may_generate:
        raise ImproperlyConfigured(
            "BPM_SECRET_KEY is not set: give at least 50 random characters, "
            "or set BPM_DEBUG=1 on a developer's machine."
        )
    return _stored_key(store)


def _stored_key(store: Path) -> str:
    store.parent.mkdir(parents=True, exist_ok=True)
    fresh = get_random_secret_key()
    try:
        # Exclusive creation: of two processes that start together one writes, the other reads.
        descriptor = os.open(store, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _kept_key(store)
    with os.fdopen(descriptor, "w") as file:
        file.write(fresh)
    return fresh


def _kept_key(store: Path) -> str:
    key = store.read_text().strip()
    if not key:
        raise ImproperlyConfigured(f"{store} is empty: delete it, a new key is then generated.")
    return key
