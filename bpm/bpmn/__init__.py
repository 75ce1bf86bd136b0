"""From the bytes of a BPMN file to graphs that can be executed (semantics §12).

`read_file` is the way in; what it returns is the neutral model of `bpm.bpmn.model`.
"""

from __future__ import annotations

from bpm.bpmn.compile import read_file
from bpm.bpmn.limits import DEFAULT_LIMITS, Limits
from bpm.bpmn.model import BpmnFile, ProcessModel

__all__ = ["DEFAULT_LIMITS", "BpmnFile", "Limits", "ProcessModel", "read_file"]
