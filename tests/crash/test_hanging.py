"""Clients that hang inside a transaction: the time-outs of the session free what they hold."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection, connections, transaction

from bpm import engine
from bpm.core.errors import Busy
from bpm.models import HistoryEvent, UserTask
from tests.support.children import child_environment, eventually
from tests.support.commands import ROOT
from tests.support.loop_models import deploy, process
from tests.support.network import HERE, forwarded, has_namespaces, linked_namespace

pytestmark = [pytest.mark.crash, pytest.mark.timeout(180), pytest.mark.postgresql]
TIMEOUT_MS = 1_500
FREED_WITHIN_S = 60


def open_task() -> str:
    deploy(process("p", "<userTask ID/>"))
    engine.start("p")
    return str(UserTask.objects.get().id)


def completed_by_us(task: str) -> bool:
    """Complete the task; False while somebody holds its instance."""
    try:
        engine.complete_task(task, actor="us")
    except Busy:
        return False
    return True


def completions() -> list[str]:
    rows = HistoryEvent.objects.filter(event_type="UserTaskCompleted")
    return list(rows.values_list("actor", flat=True))


def hold_and_stop(task: str) -> None:
    """Run in a child: hold the instance, be stopped, and try to commit once continued."""
    with transaction.atomic():
        engine.complete_task(task, actor="stopped")
        # Not before: the child may stand still between two statements as well.
        with connection.cursor() as cursor:
            cursor.execute(f"SET idle_in_transaction_session_timeout = '{TIMEOUT_MS}ms'")
        os.kill(os.getpid(), signal.SIGSTOP)


def test_a_client_stopped_inside_a_transaction_holds_nothing_for_long(transactional_db: None) -> None:
    task = open_task()
    connections.close_all()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            hold_and_stop(task)
            status = 0
        finally:
            os._exit(status)
    try:
        _, stopped = os.waitpid(child, os.WUNTRACED)
        assert os.WIFSTOPPED(stopped)
        eventually(lambda: completed_by_us(task), FREED_WITHIN_S, "the instance to be freed")
        os.kill(child, signal.SIGCONT)
        _, ended = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(ended) == 1, "what it had done was not undone"
    except BaseException:
        os.kill(child, signal.SIGKILL)
        raise
    assert completions() == ["us"]


def test_a_client_whose_link_is_cut_inside_a_transaction_holds_nothing_for_long(
    transactional_db: None, tmp_path: Path
) -> None:
    if not has_namespaces():
        pytest.skip("this machine allows no network namespaces")
    task = open_task()
    settings = connection.settings_dict
    port = settings["PORT"] or 5432
    with linked_namespace() as link, forwarded(f"{settings['HOST']}/.s.PGSQL.{port}") as near:
        url = f"postgresql://{settings['USER']}@{HERE}:{near}/{settings['NAME']}"
        environment = child_environment(
            tmp_path,
            DATABASE_URL=url,
            BPM_IDLE_IN_TRANSACTION_TIMEOUT_MS=str(TIMEOUT_MS),
            DJANGO_SETTINGS_MODULE="bpm.project.settings",
        )
        command = [
            "ip",
            "netns",
            "exec",
            link.namespace,
            sys.executable,
            "-m",
            "tests.support.hanging_client",
            task,
        ]
        with subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as client:
            try:
                assert client.stdin is not None
                assert client.stdout is not None
                assert client.stdout.readline() == "held\n"
                assert not completed_by_us(task)
                print("hang", file=client.stdin, flush=True)
                assert client.stdout.readline() == "hanging\n"
                link.take_down()
                eventually(lambda: completed_by_us(task), FREED_WITHIN_S, "the instance to be freed")
            finally:
                client.kill()
    assert completions() == ["us"]
