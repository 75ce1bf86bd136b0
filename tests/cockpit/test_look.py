"""The common look: contrast of every pair of colours that meet, and errors in words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.test import Client

_SHEET = Path(__file__).parents[2] / "cockpit/static/cockpit/base.css"
_PAIRS = [
    *[
        (text, ground)
        for text in ("text", "muted", "accent", "bad", "warn", "good")
        for ground in ("ground", "surface")
    ],
    *[(tone, f"{tone}-ground") for tone in ("good", "warn", "bad", "idle", "wait", "accent")],
    ("on-accent", "accent"),
    ("text", "accent-ground"),
    ("muted", "sunken"),
]


def colours(dark: bool) -> dict[str, str]:
    light_text, _, dark_text = _SHEET.read_text().partition("@media (prefers-color-scheme: dark)")
    found = dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6});", light_text))
    if dark:
        found |= dict(re.findall(r"--([a-z-]+): #([0-9a-f]{6});", dark_text.partition("\n}\n")[0]))
    return found


def brightness(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("text", "ground"), _PAIRS)
def test_text_stands_out_from_its_ground(text: str, ground: str, dark: bool) -> None:
    found = colours(dark)
    low, high = sorted((brightness(found[text]), brightness(found[ground])))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_who_may_not_see_a_page_is_told_in_words(db: None) -> None:
    user = User.objects.create_user("ulf", password="-")
    client = Client(headers={"host": "localhost"})
    client.force_login(user)
    answer = client.get("/cockpit/")
    assert answer.status_code == 403
    assert "You may not see this page" in answer.content.decode()


@pytest.mark.parametrize("code", [400, 403, 404, 500])
def test_error_pages_need_no_request_and_say_what_to_do(code: int) -> None:
    html = render_to_string(f"{code}.html")
    assert "<h1>" in html
    assert 'href="/"' in html
