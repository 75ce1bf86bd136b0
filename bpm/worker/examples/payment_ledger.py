"""Where the example remembers which payments it has made."""

from __future__ import annotations

import sqlite3
import threading
from decimal import Decimal


class PaymentLedger:
    """One row per task id: the uniqueness of the key is what makes a payment happen once.

    Args:
        path: SQLite file; `:memory:` forgets with the process, and then protects against a repeated task but
            not against a crash.
    """

    def __init__(self, path: str = ":memory:") -> None:
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, timeout=20.0, check_same_thread=False)
        with self._database:
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS payment (task_id TEXT PRIMARY KEY, amount TEXT NOT NULL)"
            )

    def charge_once(self, task_id: str, amount: Decimal) -> Decimal:
        """Charge the amount unless this task has been charged before; returns what was charged then.

        Committed when it returns. A real payment provider takes the task id as its own idempotency key.
        """
        with self._lock, self._database as database:
            database.execute("INSERT OR IGNORE INTO payment VALUES (?, ?)", (task_id, str(amount)))
            row = database.execute("SELECT amount FROM payment WHERE task_id = ?", (task_id,)).fetchone()
        return Decimal(row[0])

    def payments(self) -> int:
        """Return the number of payments made."""
        with self._lock:
            row = self._database.execute("SELECT count(*) FROM payment").fetchone()
        return int(row[0])

    def close(self) -> None:
        """Close the file."""
        self._database.close()
