"""Input and output mappings: values for variables, from expressions and structures of expressions (semantics §9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from bpm.core.expressions import Expression
from bpm.core.failure import NodeFailed


class ListSource(NamedTuple):
    """A list of sources."""

    items: tuple[Source, ...]


class MapSource(NamedTuple):
    """A map of keys, which may be computed, to sources."""

    entries: tuple[tuple[Expression, Source], ...]


Source = Expression | ListSource | MapSource


class VariableMapping(NamedTuple):
    """One mapping: the value of `source` goes to the variable `target` (a path sets one entry of a map)."""

    target: tuple[str, ...]
    source: Source


def expressions_of(source: Source) -> Iterator[Expression]:
    """Yield all expressions in a source."""
    if isinstance(source, ListSource):
        for item in source.items:
            yield from expressions_of(item)
    elif isinstance(source, MapSource):
        for key, entry in source.entries:
            yield key
            yield from expressions_of(entry)
    else:
        yield source


def value_of(source: Source, evaluate: Callable[[Expression], Any]) -> Any:
    """Return the value of a source.

    Raises:
        NodeFailed: a computed key of a map is no text.
    """
    if isinstance(source, ListSource):
        return [value_of(item, evaluate) for item in source.items]
    if isinstance(source, MapSource):
        return {_key(evaluate(key), key): value_of(entry, evaluate) for key, entry in source.entries}
    return evaluate(source)


def _key(value: Any, expression: Expression) -> str:
    if not isinstance(value, str | int):
        raise NodeFailed("ExpressionFailed", f"The key {expression.text!r} of a map gives no text.")
    return str(value)


def names_read(mappings: tuple[VariableMapping, ...]) -> frozenset[str] | None:
    """Return the variables that mappings may read; None when that cannot be known."""
    names: frozenset[str] = frozenset()
    for mapping in mappings:
        for expression in expressions_of(mapping.source):
            if expression.names is None:
                return None
            names |= expression.names
    return names
