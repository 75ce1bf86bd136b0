"""Structural rules of a process, beyond what its elements find out about themselves."""

from __future__ import annotations

from bpm.bpmn.checks.registry import run_checks

__all__ = ["run_checks"]
