"""Somebody at the task pages, over Django's test client."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from django.test import Client
from lxml import html

_DAY, _HOUR = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d(:\d\d(\.\d{1,3})?)?"
_READ: Final = {"date": _DAY, "time": _HOUR, "datetime-local": f"{_DAY}T{_HOUR}"}
"""What fields for moments can hold; anything else a browser takes for nothing."""


@dataclass
class Page:
    """An answer as page."""

    status: int
    text: str
    location: str

    @property
    def tree(self) -> Any:
        """The parsed page."""
        return html.fromstring(self.text.replace("\x00", ""))

    def texts(self, path: str) -> list[str]:
        """Return the texts of all elements a CSS class path names, white space settled."""
        return [" ".join(found.text_content().split()) for found in self.tree.xpath(path)]

    def value(self, name: str) -> str:
        """Return what a field of the page holds."""
        (found,) = self.tree.xpath("//*[@name=$name]", name=name)
        if found.tag == "textarea":
            return str(found.text or "").removeprefix("\n")
        if found.tag == "select":
            return str(found.value)
        return str(found.get("value", ""))

    def as_rendered(self) -> dict[str, list[str]]:
        """Return what a browser sends for the main form when nobody has touched it."""
        found: dict[str, list[str]] = {}
        for one in self.tree.xpath("//form[@id='work']//*[@name][not(@disabled)][not(self::button)]"):
            for text in _sent(one):
                found.setdefault(one.get("name"), []).append(text)
        return found

    def hidden(self) -> dict[str, str]:
        """Return the hidden fields of the main form."""
        found = self.tree.xpath("//form[@id='work']//input[@type='hidden']")
        return {one.get("name"): one.get("value") or "" for one in found}


def _sent(field: Any) -> list[str]:
    kind = field.get("type", "text")
    if field.tag == "textarea":
        text = re.sub("\r\n|\r", "\n", field.text or "").removeprefix("\n")
        return [text.replace("\n", "\r\n")]
    if field.tag == "select":
        return [option.get("value") for option in field.xpath(".//option[@selected]")] or [field.value or ""]
    if kind in ("checkbox", "radio"):
        return [field.get("value") or "on"] if "checked" in field.attrib else []
    text = re.sub("[\r\n]", "", field.get("value") or "")
    return [text if kind not in _READ or re.fullmatch(_READ[kind], text) else ""]


@dataclass
class Person:
    """One user with a session."""

    name: str
    client: Client

    def get(self, path: str, **headers: str) -> Page:
        """Open a page."""
        return _page(self.client.get(path, headers=headers))

    def post(self, path: str, data: dict[str, Any], **headers: str) -> Page:
        """Send a form."""
        return _page(self.client.post(path, data, headers=headers))

    def open(self, task: str) -> Page:
        """Open a task."""
        page = self.get(f"/tasks/{task}/")
        assert page.status == 200, page.text
        return page

    def send(self, task: str, what: str, page: Page, **typed: Any) -> Page:
        """Press a button of a task's page with what was typed."""
        return self.post(f"/tasks/{task}/{what}/", {**page.hidden(), **typed})


def _page(answer: Any) -> Page:
    return Page(answer.status_code, answer.content.decode(), answer.headers.get("Location", ""))
