from __future__ import annotations

from tests.unit.conformance_page import PAGE, page


def test_the_page_says_what_is_so() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.unit.conformance_page"
