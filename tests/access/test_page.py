"""The page of access rules is the rules."""

from __future__ import annotations

from bpm.access.permissions import ABOUT, DEFAULT_GROUPS, Permission
from bpm.models import ProcessInstance
from tests.access.access_page import PAGE, page_now


def test_the_page_is_generated_from_the_rules() -> None:
    assert PAGE.read_text() == page_now(), "run: python -m tests.access.access_page"


def test_every_permission_is_one_of_djangos_and_has_a_group() -> None:
    assert dict(ProcessInstance._meta.permissions) == {str(one): about for one, about in ABOUT.items()}
    assert {one for held in DEFAULT_GROUPS.values() for one in held} == set(Permission)
