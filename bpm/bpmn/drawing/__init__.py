"""Drawings for files that have none: places for shapes and edges, written as BPMN DI into a copy of the file."""

from __future__ import annotations

from bpm.bpmn.drawing.drawn import drawn_copy

__all__ = ["drawn_copy"]
