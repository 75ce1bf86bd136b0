"""How big a file may be."""

from __future__ import annotations

from typing import Final, NamedTuple


class Limits(NamedTuple):
    """Bounds of one file.

    Attributes:
        size_bytes: length of the file as it comes.
        depth: elements inside one another, the root counted as one.
        elements: all elements, the diagram's too.
        attributes: of one element; files of vendors have 15 at most.
        namespaces: declared at one element; files of vendors have 33 at most.
        flow_nodes: tasks, events, gateways and the like of one process, those of its subprocesses too.
    """

    size_bytes: int = 10 * 1024 * 1024
    depth: int = 200
    elements: int = 250_000
    attributes: int = 500
    namespaces: int = 500
    flow_nodes: int = 20_000


DEFAULT_LIMITS: Final = Limits()
