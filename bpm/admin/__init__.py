"""The administration of the engine's tables: to be read, not to be written (docs/reference/administration.md)."""

from __future__ import annotations

from bpm.admin import definitions, delivery, instances, tasks, verification, waits
from bpm.admin.others import register_others

__all__ = ["definitions", "delivery", "instances", "tasks", "verification", "waits"]

register_others()
