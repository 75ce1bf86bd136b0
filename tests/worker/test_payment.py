"""The example worker."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from bpm.worker.examples.payment import PaymentHandler, read_amount
from bpm.worker.examples.payment_ledger import PaymentLedger
from tests.worker.conftest import StartWorker
from tests.worker.lease_clock import LeaseClock
from tests.worker.scripted_engine import LOST, ScriptedEngine, task


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[PaymentLedger]:
    ledger = PaymentLedger(str(tmp_path / "ledger.sqlite3"))
    yield ledger
    ledger.close()


@pytest.mark.parametrize(
    ("amount", "charged"), [("100", b"100"), (100, b"100"), (12.5, b"12.5"), ("0.10", b"0.10")]
)
def test_it_pays(
    engine: ScriptedEngine, start_worker: StartWorker, ledger: PaymentLedger, amount: object, charged: bytes
) -> None:
    engine.offer(task(task_type="payment", variables={"amount": amount}))
    start_worker(PaymentHandler(ledger))
    [completion] = engine.wait_for("complete")
    assert b'{"status":"PAID","amount":' + charged + b"}" in completion.raw


def test_a_task_that_comes_twice_is_paid_once(
    engine: ScriptedEngine, start_worker: StartWorker, lease_clock: LeaseClock, ledger: PaymentLedger
) -> None:
    engine.script("complete", *[LOST] * 100)
    engine.offer(task(task_type="payment", variables={"amount": 5}))
    worker = start_worker(PaymentHandler(ledger), lock_duration_ms=300)
    engine.wait_for("complete")
    lease_clock.advance(worker, 0.4)
    assert worker.drain()
    lost = len(engine.calls("complete"))
    engine.unscript("complete")
    engine.offer(task(task_type="payment", variables={"amount": 5}, lease_id=2, attempt=2))
    start_worker(PaymentHandler(ledger))
    completion = engine.wait_for("complete", lost + 1)[-1]
    assert completion.body["lease_id"] == 2
    assert completion.body["variables"] == {"status": "PAID", "amount": 5}
    assert ledger.payments() == 1


def test_the_ledger_outlives_the_process(tmp_path: Path) -> None:
    path = str(tmp_path / "ledger.sqlite3")
    for amount in (Decimal("7.50"), Decimal("9.99")):
        ledger = PaymentLedger(path)
        assert ledger.charge_once("task-1", amount) == Decimal("7.50")
        assert ledger.payments() == 1
        ledger.close()


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({}, "variable 'amount' must be a number, is NoneType"),
        ({"amount": True}, "variable 'amount' must be a number, is bool"),
        ({"amount": "much"}, "variable 'amount' must be a number, is 'much'"),
        ({"amount": 0}, "variable 'amount' must be more than 0, is 0"),
        ({"amount": "NaN"}, "variable 'amount' must be more than 0, is NaN"),
    ],
)
def test_an_amount_that_cannot_be_paid_fails_for_good(
    engine: ScriptedEngine,
    start_worker: StartWorker,
    ledger: PaymentLedger,
    variables: dict[str, object],
    error: str,
) -> None:
    engine.offer(task(task_type="payment", variables=variables))
    start_worker(PaymentHandler(ledger))
    [report] = engine.wait_for("fail")
    assert (report.body["error"], report.body["retries"]) == (error, 0)
    assert ledger.payments() == 0


def test_amounts_are_exact() -> None:
    assert read_amount("0.1") + read_amount(Decimal("0.2")) == Decimal("0.3")
    assert read_amount(9007199254740993) == 9007199254740993
