"""Deliberate faults in the shell, each with the few tests that must notice it."""

from __future__ import annotations

from typing import Final

from tests.mutation.fault import Fault


def _shell(name: str, path: str, old: str, new: str, *tests: str) -> Fault:
    return Fault(name, f"bpm/shell/{path}.py", old, new, tests)


SHELL: Final = (
    _shell(
        "the chain of hashes is broken",
        "history",
        "        sequence += 1\n",
        "        sequence += 1\n        previous = ''\n",
        "db/test_verify.py",
        "db/test_erasure.py",
    ),
    _shell(
        "a digest does not cover the payload",
        "history",
        'sha256(f"{salt}\\n{payload}".encode())',
        'sha256(f"{salt}".encode())',
        "db/test_verify.py",
        "db/test_erasure.py",
    ),
    _shell(
        "a key may stand for another call",
        "idempotency",
        "    if fingerprint != key.fingerprint:",
        "    if False:",
        "api/test_idempotency.py",
    ),
    _shell(
        "the answer of a key is not kept",
        "idempotency",
        "        if len(text) <= MAX_ANSWER_BYTES:",
        "        if False:",
        "api/test_idempotency.py",
    ),
    _shell(
        "the first of several receivers gets a message",
        "correlation",
        "    if len(receivers) > 1:",
        "    if False:",
        "db/test_messages.py",
    ),
    _shell(
        "a message without receiver is lost",
        "correlation",
        "    if ttl_ms is None:",
        "    if False:",
        "db/test_messages.py",
    ),
    _shell(
        "the tenant of a fetch is dropped",
        "leases",
        "found = _candidates(sql, tenant, topics.asked, max_tasks, ",
        'found = _candidates(sql, "", topics.asked, max_tasks, ',
        "access/test_tenants.py",
    ),
    _shell(
        "a lost race is not noticed",
        "flush",
        "    if written.instances != len(works):",
        "    if False:",
        "db/test_lost_races.py",
    ),
)
