"""What the engine forgets, or leaves to others, after seconds: these seconds do not pass while a test runs.

A test says what a process does that gets on with its work. On a machine that stands still for some seconds the process
may as well deliver a part only, or read again what it knew; the tests of the bounds themselves say when.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

_LONG_S = 600.0


@pytest.fixture(autouse=True)
def _unhurried(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let a process deliver all that its command has caused, and know for as long as the test takes what it knows.

    Where a test touches the database, that is.
    """
    if request.node.get_closest_marker("database") is None:
        yield
        return
    from bpm.shell import kept_sets, outbox, running_clock

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(outbox, "MAX_SECONDS", _LONG_S)
        patched.setattr(kept_sets, "MAX_AGE_S", _LONG_S)
        patched.setattr(running_clock, "MAX_AGE_S", _LONG_S)
        yield


@pytest.fixture
def timely() -> Iterator[None]:
    """Let what was decided by a clock that was run on be written however long that took: statements are counted."""
    from bpm.shell.sql import writing

    with pytest.MonkeyPatch.context() as patched:
        for guards in (writing._UNDISTURBED, writing._CURRENT):
            for guard, text in list(guards.items()):
                patched.setitem(guards, guard, text.replace(f"'{writing.TIMELY_MS} ms'", f"'{_LONG_S} s'"))
        writing.write_query.cache_clear()
        yield
    writing.write_query.cache_clear()
