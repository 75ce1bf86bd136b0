"""A network of our own: a namespace behind a link that can be taken down, and a way from it to the test's server.

Names and addresses are those of this process: test runs beside one another do not meet.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import IPv4Address
from typing import NamedTuple

_OWN = IPv4Address("10.213.0.0") + os.getpid() % 0x4000 * 4
HERE, THERE = str(_OWN + 1), str(_OWN + 2)


class Link(NamedTuple):
    """A namespace, its name as `ip` knows it, and the name of our end of the link."""

    namespace: str
    device: str

    def take_down(self) -> None:
        """Cut it: packets vanish, nobody is told."""
        _ip("link", "set", self.device, "down")


def has_namespaces() -> bool:
    """Return whether this process may make network namespaces."""
    if shutil.which("ip") is None:
        return False
    probe = f"bpm-probe-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", probe], capture_output=True, check=False)
    return made.returncode == 0


@contextmanager
def linked_namespace() -> Iterator[Link]:
    """Yield a namespace at address THERE that reaches us at HERE."""
    link = Link(f"bpm-test-{os.getpid()}", f"bpm-{os.getpid()}")
    _remove(link)
    _ip("netns", "add", link.namespace)
    try:
        _ip("link", "add", link.device, "type", "veth", "peer", "name", "there", "netns", link.namespace)
        _ip("addr", "add", f"{HERE}/30", "dev", link.device)
        _ip("link", "set", link.device, "up")
        _ip("-n", link.namespace, "addr", "add", f"{THERE}/30", "dev", "there")
        _ip("-n", link.namespace, "link", "set", "there", "up")
        yield link
    finally:
        _remove(link)


@contextmanager
def forwarded(socket_path: str) -> Iterator[int]:
    """Forward connections to a port at HERE to a Unix socket; yield the port."""
    with socket.create_server((HERE, 0)) as listening:
        threading.Thread(target=_accept, args=(listening, socket_path), daemon=True).start()
        yield listening.getsockname()[1]
        with suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)


def _accept(listening: socket.socket, socket_path: str) -> None:
    with suppress(OSError):
        while True:
            near, _ = listening.accept()
            far = socket.socket(socket.AF_UNIX)
            far.connect(socket_path)
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _remove(link: Link) -> None:
    for command in (("link", "del", link.device), ("netns", "del", link.namespace)):
        subprocess.run(["ip", *command], capture_output=True, check=False)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)
