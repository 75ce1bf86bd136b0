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


class DataName(NamedTuple):
    """A data element as a variable.

    Attributes:
        names: under which it may stand, the first one that is set counts.
        own: whether it stands in the activity's own scope only (data outputs), so that no stale value is taken.
    """

    names: tuple[str, ...]
    own: bool = False


class DataSource(NamedTuple):
    """What a data association copies, if all its sources are set; else it leaves its target alone.

    Attributes:
        expression: what is made of them; None copies the only one.
        aliases: names under which expressions see sources, beside their own.
        optional: whether a source that is not set is null (a gathered result) rather than nothing.
    """

    sources: tuple[DataName, ...]
    expression: Expression | None = None
    aliases: tuple[tuple[str, DataName], ...] = ()
    optional: bool = False


Source = Expression | ListSource | MapSource | DataSource


class VariableMapping(NamedTuple):
    """One mapping: the value of `source` goes to the variable `target` (a path sets one entry of a map)."""

    target: tuple[str, ...]
    source: Source


def expressions_of(source: Source) -> Iterator[Expression]:
    """Yield all expressions in a source."""
    if isinstance(source, DataSource):
        if source.expression is not None:
            yield source.expression
    elif isinstance(source, ListSource):
        for item in source.items:
            yield from expressions_of(item)
    elif isinstance(source, MapSource):
        for key, entry in source.entries:
            yield key
            yield from expressions_of(entry)
    else:
        yield source


def value_of(source: Source, evaluate: Callable[[Expression], Any]) -> Any:
    """Return the value of a source that is no data association (see `bpm.core.data`).

    Raises:
        NodeFailed: a computed key of a map is no text.
    """
    if isinstance(source, ListSource):
        return [value_of(item, evaluate) for item in source.items]
    if isinstance(source, MapSource):
        return {_key(evaluate(key), key): value_of(entry, evaluate) for key, entry in source.entries}
    assert not isinstance(source, DataSource), "data associations do not stand inside lists and maps"
    return evaluate(source)


def _key(value: Any, expression: Expression) -> str:
    if not isinstance(value, str | int):
        raise NodeFailed("ExpressionFailed", f"The key {expression.text!r} of a map gives no text.")
    return str(value)


def data_names(source: Source) -> frozenset[str]:
    """Return the variables that a data association copies."""
    if not isinstance(source, DataSource):
        return frozenset()
    return frozenset(name for one in source.sources for name in one.names)
