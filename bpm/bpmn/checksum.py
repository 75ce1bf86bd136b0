"""Tells whether two files have the same content (semantics §12).

Over the whole file, diagram, names and vendor extensions included: a changed drawing is a new version too,
because the version is what the cockpit draws, and how a process runs can depend on what stands beside it
(messages, errors). What does not count: white space around text, between elements and between attributes, the
order of attributes, comments, processing instructions, encoding, and which prefixes name the namespaces.
"""

from __future__ import annotations

from hashlib import sha256

from bpm.core.xml import XmlElement


def content_checksum(root: XmlElement) -> str:
    """Return the SHA-256 of an element's canonical form, hexadecimal."""
    pieces: list[str] = []
    _write(root, pieces)
    text = "".join([f"{len(piece)}:{piece}" for piece in pieces])
    return sha256(text.encode()).hexdigest()


def _write(xml: XmlElement, pieces: list[str]) -> None:
    """Append the pieces; each is hashed with its length, so that different trees give different bytes."""
    pieces += ("(", xml.space, xml.tag)
    for name, value in sorted(xml.attributes.items()):
        pieces += ("@", name, value)
    for (space, name), value in sorted(xml.vendor.items()):
        pieces += ("@@", space, name, value)
    pieces += ("=", xml.text.strip())
    for child in xml.children:
        _write(child, pieces)
    pieces.append(")")
