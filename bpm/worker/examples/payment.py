"""Example: a worker for the topic `payment`.

Start it with `python -m bpm.worker bpm.worker.examples.payment:PaymentHandler`. The environment variable
`BPM_PAYMENT_LEDGER` names the file that remembers payments; without it they are kept in memory.
"""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation

from bpm.worker import ExternalTask, JsonValue, TaskContext, TaskResult
from bpm.worker.examples.payment_ledger import PaymentLedger


class PaymentHandler:
    """Charges the variable `amount`; sets `status` to `"PAID"` and `amount` to what was charged.

    The same task may come twice: after a crash between charging and reporting, or after a lost lease.
    It charges once all the same, because the ledger's key is the task id, which all attempts share.
    """

    task_type = "payment"

    def __init__(self, ledger: PaymentLedger | None = None) -> None:
        self._ledger = ledger or PaymentLedger(os.environ.get("BPM_PAYMENT_LEDGER", ":memory:"))

    def handle(self, task: ExternalTask, context: TaskContext) -> TaskResult:
        """Charge once. An amount that cannot be charged fails without retries: trying again is useless."""
        try:
            amount = read_amount(task.variables.get("amount"))
        except ValueError as error:
            return TaskResult.fail(str(error), retries=0)
        context.raise_if_lost()
        charged = self._ledger.charge_once(task.task_id, amount)
        return TaskResult.complete({"status": "PAID", "amount": charged})


def read_amount(value: JsonValue) -> Decimal:
    """Return an amount given as JSON number or as text: finite, more than 0.

    Raises:
        ValueError: Anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
        raise ValueError(f"variable 'amount' must be a number, is {type(value).__name__}")
    try:
        amount = Decimal(value)
    except InvalidOperation:
        raise ValueError(f"variable 'amount' must be a number, is {value!r}") from None
    if not amount.is_finite() or amount <= 0:
        raise ValueError(f"variable 'amount' must be more than 0, is {amount}")
    return amount
