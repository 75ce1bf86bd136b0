"""A headless Chromium, with everything switched off that it does by itself."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

PROGRAM = os.environ.get("BPM_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
_SWITCHES = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@contextmanager
def launched() -> Iterator[Browser]:
    """Start the browser, and end it afterwards."""
    if PROGRAM is None:
        pytest.skip(
            "There is no Chromium: install it (Debian: apt-get install chromium) or set BPM_TEST_CHROMIUM."
        )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAM, args=_SWITCHES)
        try:
            yield browser
        finally:
            browser.close()
