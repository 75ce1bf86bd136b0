"""Queries for work that is due, shared by both databases; placeholders are filled with their ways of saying it."""

from __future__ import annotations

from typing import Final

DUE: Final = {
    "timers": "SELECT id, instance_id FROM bpm_timer WHERE status = 'SCHEDULED' AND NOT suspended AND due_at <= {now} "
    "AND instance_id IS NOT NULL ORDER BY due_at LIMIT {limit}",
    "jobs": "SELECT id, instance_id FROM bpm_job WHERE status = 'READY' AND NOT suspended AND available_at <= {now} "
    "ORDER BY available_at LIMIT {limit}",
    "external_tasks": "SELECT id, instance_id FROM bpm_externaltask WHERE status = 'LOCKED' AND NOT suspended "
    "AND lease_expires_at <= {now} ORDER BY lease_expires_at LIMIT {limit}",
    "crashed": "SELECT id, instance_id FROM bpm_job WHERE status = 'RUNNING' AND NOT suspended "
    "AND lease_expires_at <= {now} "
    "ORDER BY lease_expires_at LIMIT {limit}",
}
