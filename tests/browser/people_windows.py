"""Windows of people: each a session of its own, with a user who logs in by the page for it."""

from __future__ import annotations

from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page

LONG_MS: Final = 60_000
"""How long to wait for what comes at once on an idle machine."""


class Windows:
    """Opens windows of separate sessions and collects their complaints.

    Attributes:
        complaints: errors and warnings of the console, the content security policy's among them, and uncaught errors.
    """

    def __init__(self, browser: Browser, base: str) -> None:
        self.browser = browser
        self.base = base
        self.complaints: list[str] = []
        self._open: list[BrowserContext] = []

    def open(self, path: str = "/", *, width: int = 1400, height: int = 900, **options: Any) -> Page:
        """Return a window of a new session at a path of the server."""
        size: Any = {"width": width, "height": height}
        context = self.browser.new_context(base_url=self.base, viewport=size, **options)
        context.set_default_timeout(LONG_MS)
        self._open.append(context)
        page = context.new_page()
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        page.goto(path)
        return page

    def log_in(self, name: str, path: str = "/", **options: Any) -> Page:
        """Return a window in which a user with the password `-` has logged in by the page for it."""
        page = self.open(f"/accounts/login/?next={path}", **options)
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill("-")
        page.get_by_role("button", name="Log in").click()
        page.wait_for_url(f"**{path}*")
        return page

    def close(self) -> None:
        """Close all windows."""
        for context in self._open:
            context.close()

    def _note(self, kind: str, text: str) -> None:
        # A page that answers 409 or 422 is meant to; the console tells of every such answer.
        expected = "status of 409" in text or "status of 422" in text
        if kind in ("error", "warning") and not expected:
            self.complaints.append(f"{kind}: {text}")
