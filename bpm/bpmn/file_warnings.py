"""What is odd about a file and belongs to no single process."""

from __future__ import annotations

from bpm.bpmn.file_index import FileIndex
from bpm.bpmn.problems import Problems
from bpm.core.errors import Problem


def read_file_warnings(elements: FileIndex) -> tuple[Problem, ...]:
    """Return warnings: a file without process, pools whose process is not there."""
    found = Problems()
    root = elements.root
    if root.first("process") is None:
        found.warning(root, "no-process", "The file has no process.")
    for collaboration in root.all("collaboration"):
        for pool in collaboration.all("participant"):
            reference = pool.get("processRef").strip()
            process = elements.top(reference) if reference else None
            if reference and (process is None or process.tag != "process"):
                message = f"The processRef {reference!r} names no process of the file."
                found.warning(pool, "dangling-reference", message)
    return found.warnings
