"""Gets tasks for free slots, by long polls."""

from __future__ import annotations

import logging
import math
import threading
import time
import uuid
from collections.abc import Callable, Sequence

from bpm.worker.backoff import Backoff
from bpm.worker.client import EngineClient, FetchedTasks
from bpm.worker.config import WorkerConfig
from bpm.worker.errors import AnswerNotKept, EngineUnavailable
from bpm.worker.lease import Lease
from bpm.worker.repetition import repeat_until_answered
from bpm.worker.slots import Slots
from bpm.worker.topic import FetchTopic

_log = logging.getLogger("bpm.worker")


class FetchCall:
    """One fetch, repeated with the same body under one Idempotency-Key until it is answered.

    A lost answer may have leased tasks; the repetition brings back the same leases (semantics §11).

    Attributes:
        in_doubt: Whether an attempt without answer may have leased something.
    """

    def __init__(
        self,
        client: EngineClient,
        config: WorkerConfig,
        topics: Sequence[FetchTopic],
        max_tasks: int,
        wait_ms: int,
    ) -> None:
        self.in_doubt = False
        self._client = client
        self._config = config
        self._topics = topics
        self._max_tasks = max_tasks
        self._wait_ms = wait_ms
        self._key = str(uuid.uuid4())

    def attempt(self) -> FetchedTasks:
        """Make one call.

        Raises:
            EngineError: As of `EngineClient.fetch_and_lock`.
        """
        config = self._config
        try:
            return self._client.fetch_and_lock(
                config.worker_id,
                self._topics,
                self._max_tasks,
                config.lock_duration_ms,
                self._wait_ms,
                self._key,
            )
        except EngineUnavailable as unavailable:
            self.in_doubt = self.in_doubt or unavailable.may_have_been_processed
            _log.warning("no tasks fetched yet: %s", unavailable)
            raise

    def leases_of(self, fetched: FetchedTasks) -> list[Lease]:
        """Return a lease for each task of the answer, in the engine's order."""
        own = {topic.task_type: topic.lock_duration_ms for topic in self._topics}
        usual = self._config.lock_duration_ms
        return [
            Lease(task, own.get(task.task_type) or usual, confirmed=not self.in_doubt)
            for task in fetched.tasks
        ]


class Fetcher:
    """Fetches for as many slots as are free, again and again.

    Args:
        accept: Takes each leased task, in the fetching thread; must not block for long.
        draining: Set when no more tasks are wanted.
    """

    def __init__(
        self,
        client: EngineClient,
        config: WorkerConfig,
        topics: Sequence[FetchTopic],
        slots: Slots,
        accept: Callable[[Lease], None],
        draining: threading.Event,
    ) -> None:
        self._client = client
        self._config = config
        self._topics = topics
        self._slots = slots
        self._accept = accept
        self._draining = draining
        self._is_waiting = False

    def run(self) -> None:
        """Fetch until drained.

        Raises:
            EngineError: The engine refuses to be asked, so that asking again is useless.
        """
        while reserved := self._slots.reserve(self._config.max_tasks):
            pause_s = self._fetch(reserved)
            if pause_s > 0:
                self._draining.wait(pause_s)
            self._is_waiting = False

    def fetch_one_now(self) -> list[Lease]:
        """Fetch for the calling thread's own slot, if the fetching thread is not about to ask anyway.

        The next task of an instance is ready at the moment the one before is completed. A long poll that is
        already under way finds it only at the engine's next probe; this finds it at once.
        """
        if not self._is_waiting or self._draining.is_set():
            return []
        leases, _ = self._fetch_until_answered(1, wait_ms=0)
        return leases

    def _fetch(self, reserved: int) -> float:
        """Fetch once and return the pause before the next time, in seconds."""
        started = time.monotonic()
        leases: list[Lease] = []
        try:
            self._is_waiting = True
            leases, retry_after_s = self._fetch_until_answered(reserved, self._config.wait_ms)
        finally:
            self._slots.give_back(reserved - len(leases))
        if leases:
            # Whose slot becomes free from here on need not ask: the next fetch does.
            self._is_waiting = False
            for lease in leases:
                self._accept(lease)
            return 0.0
        if retry_after_s is not None:
            return retry_after_s
        return self._config.poll_interval_ms / 1000 - (time.monotonic() - started)

    def _fetch_until_answered(self, max_tasks: int, wait_ms: int) -> tuple[list[Lease], float | None]:
        """Return leases and `Retry-After`; nothing when the worker was drained before an answer came."""
        call = FetchCall(self._client, self._config, self._topics, max_tasks, wait_ms)
        try:
            fetched = repeat_until_answered(
                call.attempt,
                backoff=Backoff.of(self._config),
                left_s=lambda: 0.0 if self._draining.is_set() else math.inf,
                wait=self._draining.wait,
            )
        except AnswerNotKept as error:
            # What that answer leased comes back by itself when the leases have run out.
            _log.warning("tasks of a lost fetch are out of reach until their leases end: %s", error)
            return [], None
        except EngineUnavailable:
            fetched = self._last_attempt(call)
        return call.leases_of(fetched), fetched.retry_after_s

    def _last_attempt(self, call: FetchCall) -> FetchedTasks:
        """When draining, ask once more for what a lost answer may have leased, to give it back."""
        if not call.in_doubt:
            return FetchedTasks(())
        try:
            return call.attempt()
        except (EngineUnavailable, AnswerNotKept):
            return FetchedTasks(())
