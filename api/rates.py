"""Limits of tenants and tokens (docs/reference/access.md); each refusal says when to come again."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from api.request_errors import InstancesExhausted, PollsExhausted, RateExceeded, VariableTooLarge
from bpm.access.caller import Caller, present_caller
from bpm.access.spending import INSTANCES_RETRY_S, count_request, exhausted_instances
from bpm.queries.exact_json import to_text

_VARIABLES: Final = ("variables", "local_variables")


def spend_request(caller: Caller) -> None:
    """Count a request where a rate is set. Raises: RateExceeded."""
    excess = count_request(caller)
    if excess is not None:
        raise RateExceeded(limit_per_minute=excess.limit, retry_after_s=excess.retry_after_s)


def require_room(caller: Caller) -> None:
    """Refuse a start where as many instances run as may; those at the same moment are not counted.

    Raises:
        InstancesExhausted.
    """
    limit = exhausted_instances(caller)
    if limit is not None:
        raise InstancesExhausted(limit=limit, retry_after_s=INSTANCES_RETRY_S)


def require_small(body: Any) -> None:
    """Refuse variables, at any place of a body, that are larger than the caller may send.

    Raises:
        VariableTooLarge: with the name of the first.
    """
    caller = present_caller()
    limit = caller.least("max_variable_bytes") if caller is not None else None
    if limit is not None:
        _look_through(body, limit)


def _look_through(value: Any, limit: int) -> None:
    if isinstance(value, list | tuple):
        for item in value:
            _look_through(item, limit)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name in _VARIABLES and isinstance(item, Mapping):
                _look_at(item, limit)
            else:
                _look_through(item, limit)


def _look_at(variables: Mapping[str, Any], limit: int) -> None:
    for name, value in variables.items():
        size = len(to_text(value).encode())
        if size > limit:
            raise VariableTooLarge(variable=name, bytes=size, limit_bytes=limit)


class _OpenPolls:
    """How many requests of a tenant or token wait in this process."""

    def __init__(self) -> None:
        self._open: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def one_more(self, caller: Caller) -> Iterator[None]:
        """Count one inside. Raises: PollsExhausted."""
        limits = {one.subject: one.open_polls for one in caller.bounds if one.open_polls is not None}
        with self._lock:
            for subject, limit in limits.items():
                if self._open[subject] >= limit:
                    raise PollsExhausted(limit=limit, retry_after_s=1)
            self._open.update(limits.keys())
        try:
            yield
        finally:
            with self._lock:
                self._open.subtract(limits.keys())


_polls: Final = _OpenPolls()


@contextmanager
def waiting() -> Iterator[None]:
    """Wait inside, as one of the requests that may. Raises: PollsExhausted."""
    caller = present_caller()
    if caller is None or not caller.bounds:
        yield
        return
    with _polls.one_more(caller):
        yield
