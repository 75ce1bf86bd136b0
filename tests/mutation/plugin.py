"""What `-p` loads."""

from __future__ import annotations

from tests.mutation.loop import pytest_addoption, pytest_collection_modifyitems, pytest_runtestloop

__all__ = ["pytest_addoption", "pytest_collection_modifyitems", "pytest_runtestloop"]
