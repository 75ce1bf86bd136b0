"""One browser for all tests, and windows of operators onto a real server."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from playwright.sync_api import Browser, expect

# The browser's driver keeps an event loop on this thread, and Django would refuse every database call beside it.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

from tests.browser.chromium import launched
from tests.browser.people_windows import LONG_MS, Windows
from tests.browser.window import Window
from tests.support.children import eventually

expect.set_options(timeout=LONG_MS)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A running browser."""
    with launched() as browser:
        yield browser


@pytest.fixture(autouse=True)
def _answered(request: pytest.FixtureRequest) -> Iterator[None]:
    """Empty the database only when the server has done with what the windows, now closed, had still asked for."""
    if "live_server" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("transactional_db")
    yield
    eventually(lambda: not _serving(), 60, "the server to be idle")


def _serving() -> list[str]:
    return [one.name for one in threading.enumerate() if "process_request_thread" in one.name]


@pytest.fixture
def windows(chromium: Browser, live_server: Any) -> Iterator[Windows]:
    """Windows of people onto the server; nothing in them may have gone wrong."""
    opened = Windows(chromium, live_server.url)
    try:
        yield opened
    finally:
        opened.close()
    assert opened.complaints == []


@pytest.fixture
def operator(transactional_db: None) -> User:
    """Somebody who may see everything."""
    return User.objects.create_superuser("olga", password="-")


@pytest.fixture
def window_of(chromium: Browser, live_server: Any) -> Iterator[Callable[..., Window]]:
    """Open windows of users; nothing in them may have gone wrong."""
    opened: list[Window] = []

    def open_window(user: User, *, width: int = 1_400, dark: bool = False) -> Window:
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        opened.append(Window(chromium, live_server.url, str(session.session_key), width=width, dark=dark))
        return opened[-1]

    yield open_window
    assert [complaint for window in opened for complaint in window.close()] == []


@pytest.fixture
def window(window_of: Callable[..., Window], operator: User) -> Window:
    """A window of an operator."""
    return window_of(operator)
