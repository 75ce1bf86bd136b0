from __future__ import annotations

import gc
import threading

import pytest

from bpm.shell.garbage import CollectionPaused


def test_the_collector_stands_still_inside_and_runs_again_outside() -> None:
    with CollectionPaused():
        assert not gc.isenabled()
        with CollectionPaused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_runs_again_after_an_error() -> None:
    with pytest.raises(KeyError), CollectionPaused():
        raise KeyError
    assert gc.isenabled()


def test_it_stays_off_where_the_program_has_switched_it_off() -> None:
    gc.disable()
    try:
        with CollectionPaused():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_threads_that_pause_at_the_same_time_leave_it_running() -> None:
    barrier = threading.Barrier(4)

    def pause() -> None:
        for _ in range(200):
            with CollectionPaused():
                barrier.wait(timeout=60)

    threads = [threading.Thread(target=pause) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert gc.isenabled()
