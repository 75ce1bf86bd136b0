"""Bytes to `XmlElement`, safely.

The encoding is the file's affair (byte order mark or declaration), never the platform's. A document type
declaration is refused before anything in it is read, so there are no entities but XML's own five; nothing is
fetched from anywhere. Depth and number of elements are counted while the parser reads: it stops early.

lxml finds every attribute of an element from the first one on, so reading n of them takes n * n steps. They are
counted, which takes n, before one is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NoReturn

from lxml import etree

from bpm.bpmn.limits import Limits
from bpm.bpmn.namespaces import split_name
from bpm.core.errors import DefinitionInvalid, Problem
from bpm.core.xml import XmlElement

_CHUNK_BYTES = 65_536
_EVENTS: Final = ("start-ns", "start", "end")
_name = lru_cache(maxsize=4096)(split_name)
_SAFE: dict[str, Any] = {
    "resolve_entities": False,
    "no_network": True,
    "load_dtd": False,
    "dtd_validation": False,
    "attribute_defaults": False,
    "huge_tree": False,
}


class _RootReached(Exception):
    """The part before the root element holds nothing forbidden."""


class _DoctypeFound(Exception):
    """The file has a document type declaration."""


def read_xml(data: bytes, limits: Limits) -> XmlElement:
    """Return the root element of a file.

    Raises:
        DefinitionInvalid: rules `too-large`, `doctype`, `not-well-formed`, `too-deep`, `too-many-elements`,
            `too-many-attributes`, `too-many-namespaces`.
    """
    if len(data) > limits.size_bytes:
        _refuse("too-large", f"The file has {len(data)} bytes, more than the {limits.size_bytes} allowed.")
    try:
        _check_prolog(data)
        return _parse(data, limits)
    except etree.XMLSyntaxError as error:
        _refuse_syntax(error)
    except _DoctypeFound:
        _refuse("doctype", "A document type declaration (DOCTYPE) is not allowed.")


class _Prolog:
    """Parser target that looks at what stands before the root element."""

    def start(self, tag: str | bytes, attrib: Mapping[str | bytes, str | bytes]) -> NoReturn:
        raise _RootReached

    def doctype(self, *_: str | None) -> NoReturn:
        raise _DoctypeFound

    def end(self, tag: str | bytes) -> None:
        """Never comes before `start`."""

    def data(self, data: str | bytes) -> None:
        """White space."""

    def comment(self, text: str | bytes) -> None:
        """Harmless."""

    def close(self) -> None:
        """Never comes before `start`."""


def _check_prolog(data: bytes) -> None:
    etree.clear_error_log()
    parser = etree.XMLParser(target=_Prolog(), **_SAFE)
    try:
        parser.feed(data)
        parser.close()
    except _RootReached:
        return


def _parse(data: bytes, limits: Limits) -> XmlElement:
    etree.clear_error_log()
    parser = etree.XMLPullParser(events=_EVENTS, remove_comments=True, remove_pis=True, **_SAFE)
    builder = _Builder(limits)
    for begin in range(0, len(data), _CHUNK_BYTES):
        try:
            parser.feed(data[begin : begin + _CHUNK_BYTES])
        finally:  # What was read before an error may be too deep already: then that is the error.
            builder.take(parser)
    parser.close()
    builder.take(parser)
    return builder.root


class _Builder:
    """Makes the elements from the inside out, as the parser closes them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._count = 0
        self._declared = 0
        self._open: list[list[XmlElement]] = [[]]

    @property
    def root(self) -> XmlElement:
        """The outermost element, when all is read."""
        return self._open[0][0]

    def take(self, parser: Any) -> None:
        """Handle what the parser has read so far.

        Raises:
            DefinitionInvalid: too deep, or too many elements, attributes or namespaces.
        """
        for event, element in parser.read_events():
            if event == "start-ns":  # Comes before the start of the element that declares it.
                self._declared += 1
            elif event == "start":
                self._start(element)
            else:
                made = _convert(element, tuple(self._open.pop()))
                self._open[-1].append(made)

    def _start(self, element: Any) -> None:
        self._count += 1
        self._open.append([])
        if len(self._open) - 1 > self._limits.depth:
            message = f"Elements are nested deeper than {self._limits.depth} levels."
            _refuse("too-deep", message, element.sourceline or 0)
        if self._count > self._limits.elements:
            message = f"The file has more than {self._limits.elements} elements."
            _refuse("too-many-elements", message, element.sourceline or 0)
        self._check_width(element)

    def _check_width(self, element: Any) -> None:
        if len(element.attrib) > self._limits.attributes:
            message = f"An element has more than {self._limits.attributes} attributes."
            _refuse("too-many-attributes", message, element.sourceline or 0)
        declared, self._declared = self._declared, 0
        if declared > self._limits.namespaces:
            message = f"An element declares more than {self._limits.namespaces} namespaces."
            _refuse("too-many-namespaces", message, element.sourceline or 0)


def _convert(element: Any, children: tuple[XmlElement, ...]) -> XmlElement:
    space, tag = _name(element.tag)
    attributes: dict[str, str] = {}
    vendor: dict[tuple[str, str], str] = {}
    for clark, value in element.attrib.items():
        name = _name(clark)
        if name[0] in ("", space):
            attributes[name[1]] = value
        else:
            vendor[name] = value
    tails = (child.tail for child in element if child.tail)
    text = "".join((element.text or "", *tails))
    return XmlElement(
        tag=tag,
        space=space,
        attributes=attributes,
        vendor=vendor,
        children=children,
        text=text,
        line=element.sourceline or 0,
    )


def _refuse_syntax(error: etree.XMLSyntaxError) -> NoReturn:
    """Say what the parser found first: the error itself names only the last consequence.

    The log is the thread's; it was cleared before the parser began.
    """
    found: Any = error.error_log
    first = next((entry for entry in found if entry.level >= etree.ErrorLevels.ERROR), None)
    text, line = (error.msg, error.lineno or 0) if first is None else (first.message, first.line)
    _refuse("not-well-formed", f"This is not well-formed XML: {text.strip().rstrip('.')}.", line)


def _refuse(rule: str, message: str, line: int = 0) -> NoReturn:
    raise DefinitionInvalid((Problem("", line, rule, message),))
