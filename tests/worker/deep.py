"""Deeply nested values."""

from __future__ import annotations


def nested_list(depth: int) -> list[object]:
    """Lists in lists; built and unbuilt without recursion."""
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    return value
