"""The worker: fetches tasks, runs handlers, reports results, until it is asked to stop."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Sequence

from bpm.worker.client import EngineClient
from bpm.worker.config import WorkerConfig
from bpm.worker.errors import EngineError
from bpm.worker.fetching import Fetcher
from bpm.worker.handler import TaskHandler
from bpm.worker.lease import Lease
from bpm.worker.lease_keeper import LeaseKeeper
from bpm.worker.signals import first_signal_calls
from bpm.worker.slots import Slots
from bpm.worker.task_run import TaskRunner
from bpm.worker.topic import FetchTopic

_log = logging.getLogger("bpm.worker")

_MOST_TOPICS = 100


class Worker:
    """Serves one or several topics of one engine; used once: start, then drain.

    Threads: one that fetches, one that keeps leases, `concurrency` that run handlers; all daemons.

    Args:
        client: Stays the caller's; to be closed after the drain.
        handlers: One per topic, at least one.
        config: None takes the defaults.
        topics: What is asked of topics beyond their names.

    Raises:
        ValueError: No handler, two for one topic, more than 100 topics, or an empty one; demands on a topic that no
            handler serves, or two on one.
        TypeError: Something that is no handler.
    """

    def __init__(
        self,
        client: EngineClient,
        handlers: Sequence[TaskHandler],
        config: WorkerConfig | None = None,
        topics: Sequence[FetchTopic] = (),
    ) -> None:
        self.config = config or WorkerConfig()
        by_topic = _by_topic(handlers)
        self._draining = threading.Event()
        self._wakeups: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._fault: BaseException | None = None
        self._keeper = LeaseKeeper(client, self.config)
        self._runner = TaskRunner(client, self.config, by_topic, self._keeper, self._draining)
        self._slots = Slots(self.config.concurrency, self._occupy_slot)
        self._fetcher = Fetcher(
            client, self.config, _asked(by_topic, topics), self._slots, self._slots.submit, self._draining
        )
        self._fetching = threading.Thread(target=self._fetch, name="bpm-fetch", daemon=True)
        self._topics = ", ".join(by_topic)

    def run(self) -> bool:
        """Work until SIGTERM, SIGINT or `stop`, then drain; a second signal ends the process at once.

        Signals are listened to in the main thread only.

        Returns:
            As of `drain`.

        Raises:
            EngineError: The engine refuses to be asked for tasks: wrong token, address or topic.
        """
        with first_signal_calls(self._wakeups.put):
            self.start()
            _log.info("worker stops: %s", self._wakeups.get())
            return self.drain()

    def start(self) -> None:
        """Start working; returns at once.

        Raises:
            RuntimeError: It was started before.
        """
        self._fetching.start()
        self._keeper.start()
        self._slots.start()
        _log.info(
            "worker %s serves %s with %d threads",
            self.config.worker_id,
            self._topics,
            self.config.concurrency,
        )

    def stop(self) -> None:
        """Ask for the end: no more fetches, no more starts. Returns at once; any thread may call it."""
        self._draining.set()
        self._slots.close()
        self._wakeups.put("asked to")

    def drain(self) -> bool:
        """Stop, wait for running handlers up to `grace_ms`, give back what was fetched and not started.

        A handler that still runs then is left alone: its context says that the lease is lost, its result is
        dropped, its lease runs out, and another worker gets the task. It is not unlocked, because
        two handlers would then work on it at once.

        Returns:
            True when nothing was left behind.

        Raises:
            EngineError: As of `run`.
        """
        end = time.monotonic() + self.config.grace_ms / 1000
        self.stop()
        self._fetching.join(max(0.0, end - time.monotonic()))
        idle = self._slots.wait_until_idle(end - time.monotonic()) and not self._fetching.is_alive()
        if not idle:
            _log.error("drain took longer than %d ms; what still runs is abandoned", self.config.grace_ms)
        self._keeper.stop("the worker ended before the handler")
        self._slots.end_threads()
        if self._fault is not None:
            raise self._fault
        return idle

    def _fetch(self) -> None:
        try:
            self._fetcher.run()
        except BaseException as fault:  # noqa: BLE001  raised again by drain, in the caller's thread
            if self._draining.is_set():
                _log.warning("last fetch failed: %s", fault)
                return
            _log.error("no more tasks are fetched: %s", fault)
            self._fault = fault
            self._wakeups.put("cannot fetch")

    def _occupy_slot(self, lease: Lease) -> None:
        leases = [lease]
        while leases:
            if self._runner.run(leases.pop(0)) and not leases:
                leases = self._next_of_chain()

    def _next_of_chain(self) -> list[Lease]:
        try:
            return self._fetcher.fetch_one_now()
        except EngineError as error:
            _log.warning("no task fetched after a completion: %s", error)
            return []


def _by_topic(handlers: Sequence[TaskHandler]) -> dict[str, TaskHandler]:
    by_topic: dict[str, TaskHandler] = {}
    for handler in handlers:
        if isinstance(handler, type) or not isinstance(handler, TaskHandler):
            raise TypeError(f"{handler!r} is no handler: it needs task_type and handle(task, context)")
        if not handler.task_type:
            raise ValueError(f"{handler!r} has an empty task_type")
        if len(by_topic) == _MOST_TOPICS:
            raise ValueError(f"a worker serves at most {_MOST_TOPICS} topics")
        if handler.task_type in by_topic:
            raise ValueError(f"two handlers for topic {handler.task_type!r}")
        by_topic[handler.task_type] = handler
    if not by_topic:
        raise ValueError("a worker needs at least one handler")
    return by_topic


def _asked(by_topic: dict[str, TaskHandler], topics: Sequence[FetchTopic]) -> list[FetchTopic]:
    more = {topic.task_type: topic for topic in topics}
    if len(more) < len(topics):
        raise ValueError("two demands on one topic")
    if unserved := more.keys() - by_topic.keys():
        raise ValueError(f"no handler serves {', '.join(sorted(unserved))}")
    return [more.get(name) or FetchTopic(name) for name in by_topic]
