"""Settings of gunicorn: `gunicorn -c python:bpm.project.web_server …`.

A thread that reads a request waits for the rest of it without end, so a few clients that send half of one would hold
all threads. The kernel ends each single wait instead: what arrives slowly but arrives is read, and a long poll, which
waits while it answers, is not concerned. A connection has the limit that its listening socket had when it was made.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from typing import Any, Final

STALLED_S: Final = 30


def end_stalled(listeners: Iterable[Any], seconds: int) -> None:
    """Let nobody keep a thread of this server that long without a byte that moves, in either direction."""
    for listener in listeners:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, struct.pack("ll", seconds, 0))


def when_ready(server: Any) -> None:
    """Set up the sockets as soon as they listen."""
    end_stalled(server.LISTENERS, STALLED_S)


def post_fork(_server: Any, worker: Any) -> None:
    """Set up a worker that has just begun; after a reload it may have other sockets."""
    end_stalled(worker.sockets, STALLED_S)
