"""Deliberate faults in what is kept and remembered (PostgreSQL), each with the few tests that must notice it."""

from __future__ import annotations

from typing import Final

from tests.mutation.fault import Fault

_RULES, _RANDOM = "db/test_remembered.py", "db/test_remembered_at_random.py"
_QUESTIONS = "db/test_remembered_questions.py"
_LEASES, _UNREAD = "semantics/test_external_tasks.py", "db/test_unread.py"


def _shell(name: str, path: str, old: str, new: str, *tests: str) -> Fault:
    return Fault(name, f"bpm/shell/{path}.py", old, new, tests)


REMEMBERING: Final = (
    # what a question leaves out
    _shell(
        "it does not matter when a time is",
        "remembering/memory",
        "times = tuple([when(time, now, end) for time in before.times])",
        "times = ()",
        _QUESTIONS,
    ),
    _shell(
        "it does not matter which task is completed",
        "remembering/asking",
        "Asked((type(command), command.actor, at, *who,",
        "Asked((type(command), command.actor, *who,",
        _QUESTIONS,
    ),
    _shell(
        "it does not matter who completes a task",
        "remembering/asking",
        "Asked((type(command), command.actor, at, *who,",
        "Asked((type(command), command.actor, at,",
        _QUESTIONS,
    ),
    _shell(
        "it does not matter which results there are",
        "remembering/asking",
        "*who, *command.variables, same), texts, same)",
        "*who, same), texts, same)",
        _QUESTIONS,
    ),
    _shell(
        "it does not matter whether a variable has that value already",
        "remembering/asking",
        "*who, *command.variables, same), texts, same)",
        "*who, *command.variables), texts, same)",
        _QUESTIONS,
    ),
    _shell(
        "it does not matter whether there is a handler",
        "remembering/memory",
        "return all(handlers.has_handler(kind, name) is had for kind, name, had in told)",
        "return True",
        _QUESTIONS,
    ),
    # what a veil hides
    _shell(
        "an expression is evaluated behind the veil",
        "remembering/veil",
        '    if expression.dialect != "literal":',
        "    if False:",
        _QUESTIONS,
        _RULES,
    ),
    # what is filled in
    _shell(
        "the revision stands still",
        "remembering/remembered",
        "now, revision + (before is not None), last, newest)",
        "now, revision, last, newest)",
        _RULES,
        _RANDOM,
    ),
    _shell(
        "the chain of hashes begins anew with each command",
        "remembering/remembered",
        "_events(known, values, occurred_at, first, head, salt)",
        '_events(known, values, occurred_at, first, "", salt)',
        _RULES,
        _RANDOM,
    ),
    _shell(
        "a text is written into a row without escapes",
        "remembering/learning",
        "places[f'\"{value}\"'] = (number, None if raw else quoted if payload else encode_basestring)",
        "places[f'\"{value}\"'] = (number, None)",
        _RANDOM,
        _RULES,
    ),
    _shell(
        "what is wrong is not forgotten",
        "remembering/memory",
        "        self.wrong += 1\n        self.keep(asked, None)",
        "        self.wrong += 1",
        _RULES,
    ),
    # how rows are written
    _shell(
        "every change is a usual one",
        "table_spec",
        "return bool(self.usual) and self._seldom(old) == self._seldom(new)",
        "return bool(self.usual)",
        "unit/test_row_modes.py",
        _LEASES,
    ),
    _shell(
        "a usual change forgets that the instance was suspended",
        "row_changes",
        'return "usual" if not about_due and spec.changes_usually(old, new) else "update"',
        'return "usual" if spec.changes_usually(old, new) else "update"',
        "db/test_lists_on_one_instance.py",
    ),
    # what is kept
    _shell(
        "what a process knows of a version is believed to be the newest",
        "unread",
        "guard=_guard(request)",
        "guard=Guard.LOCKED",
        _UNREAD,
    ),
    _shell(
        "what is rolled back is kept",
        "flush",
        "        transaction.on_commit(batch.keep_sets)",
        "        batch.keep_sets()",
        _UNREAD,
    ),
)
