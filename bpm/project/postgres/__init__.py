"""A private PostgreSQL server for tests, benchmarks and the demo: no root, no container, no network port.

``python -m bpm.project.postgres -- command …`` runs a command with ``DATABASE_URL`` set and stops the server
after it.
"""

from __future__ import annotations

from bpm.project.postgres.server import PostgresUnavailable, embedded_postgres

__all__ = ["PostgresUnavailable", "embedded_postgres"]
