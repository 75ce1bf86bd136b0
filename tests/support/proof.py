"""Instances with a row in every table, and what verification says of them."""

from __future__ import annotations

from typing import Any

from django.db import connection

from bpm import engine
from bpm.shell.kept_sets import kept_sets
from bpm.shell.verifying import Finding, verify_instances
from tests.support.play import Case, Play

RICH = """
    start s -> f
    par f -> a, b, x, y, t, m, d, q, gone
    user a -> j
    user b -> j
    external x -> j
    external y -> j
    catch t timer=PT1H -> j
    catch m message=M -> j
    task d before -> j
    sub q in_place="${v}" -> after
      start qs -> book
      user book undo=cancel -> qe
      user cancel
      end qe
    user after -> j
    user gone -> j
    par j -> e
    end e
"""
TABLES = (
    "bpm_processinstance",
    "bpm_scope",
    "bpm_variable",
    "bpm_token",
    "bpm_paralleljoinstate",
    "bpm_externaltask",
    "bpm_usertask",
    "bpm_usertaskcandidate",
    "bpm_comment",
    "bpm_timer",
    "bpm_job",
    "bpm_subscription",
    "bpm_incident",
    "bpm_compensationrecord",
    "bpm_historyevent",
)
"""Tables of an instance's rows."""


def rich_case(play: Play) -> Case:
    """Return a running instance that has rows in all of `TABLES`, open and closed ones in most."""
    case = play.grow(RICH, v=1, secret="first")
    case.complete("a", v=2, text="hello")
    case.complete("book")
    case.complete("gone", secret="second")
    task = case.tasks("b")[0].id
    engine.assign_task(task, assignee="lee", actor="test")
    engine.update_task(task, changes={"candidate_users": ["kim"], "candidate_groups": ["crew"]}, actor="test")
    engine.comment_task(task, message="look at this", actor="test")
    case.work("x", w=1)
    engine.fetch_and_lock("w", topics=["y"], max_tasks=1, lock_ms=60_000)
    engine.fail_external_task(case.external("y").id, worker="w", retries=0, error="broken", actor="test")
    return case


def findings(case: Case) -> list[Finding]:
    """Return what verification finds of one instance."""
    (result,) = verify_instances([case.id])
    return result.findings


def sql(statement: str, *parameters: Any) -> list[Any]:
    """Execute a statement and return its rows.

    Nothing that this process has kept is used afterwards: what a statement writes past the engine raises no revision.
    """
    kept_sets.clear()
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return cursor.fetchall() if cursor.description else []


def in_table(instance: str) -> str:
    """Return an id as a parameter of a statement."""
    return instance if connection.vendor == "postgresql" else instance.replace("-", "")
