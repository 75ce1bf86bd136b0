"""One browser window that remembers everything that went wrong in it."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Response, expect

PATIENCE_MS = 60_000
_VIOLATION = (
    "document.addEventListener('securitypolicyviolation',"
    " event => console.error('CSP', event.violatedDirective, event.blockedURI))"
)


class Window:
    """A page of somebody who is logged in."""

    def __init__(self, browser: Browser, url: str, session: str, *, width: int, dark: bool) -> None:
        self.url = url
        self._context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light"
        )
        host = urlsplit(url).hostname or ""
        self._context.add_cookies([{"name": "sessionid", "value": session, "domain": host, "path": "/"}])
        self._context.add_init_script(_VIOLATION)
        self._complaints: list[str] = []
        self.expected: list[str] = []
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self._complaints.append(f"script: {error}"))
        self.page.on("response", self._answered)

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type == "error" and "Failed to load resource" not in message.text:
            self._complaints.append(f"console: {message.text}")

    def _answered(self, answer: Response) -> None:
        if answer.status >= 400 and not any(part in answer.url for part in self.expected):
            self._complaints.append(f"{answer.status}: {answer.url}")

    def open(self, path: str) -> Page:
        """Go to a page of the server."""
        self.page.goto(self.url + path)
        return self.page

    def diagram(self, name: str = "instance-diagram") -> Locator:
        """Return the diagram when it is drawn."""
        drawn = self.page.locator(f"#{name}[data-ready=yes]")
        expect(drawn).to_be_visible(timeout=PATIENCE_MS)
        return drawn

    def evaluate(self, script: str) -> Any:
        """Return what a script gives."""
        return self.page.evaluate(script)

    def close(self) -> list[str]:
        """Close it and return what went wrong."""
        self._context.close()
        return self._complaints
