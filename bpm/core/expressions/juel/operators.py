"""Closures of JUEL's comparison and arithmetic, with fast paths for what models write most."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from bpm.core.expressions.arithmetic import Operation
from bpm.core.expressions.errors import EvaluationFailed
from bpm.core.expressions.frame import Frame
from bpm.core.expressions.juel.values import are_equal, calculate, compare
from bpm.core.expressions.pratt import Node, tallest

Build = Callable[[Node, Node], Node]
_EXACT = (str, int)


def equality_node(wanted: bool) -> Build:
    """Builder of ``==`` nodes, or of ``!=`` nodes when ``wanted`` is false."""
    identical = operator.eq if wanted else operator.ne

    def test(left: Any, right: Any) -> bool:
        if type(left) is type(right) and type(left) in _EXACT:
            return bool(identical(left, right))
        return are_equal(left, right) is wanted

    return lambda left, right: _binary_node(left, right, test)


def order_node(order: Callable[[Any, Any], bool]) -> Build:
    """Builder of nodes of one of ``< > <= >=``."""

    def test(left: Any, right: Any) -> bool:
        if type(left) is int and type(right) is int:
            return order(left, right)
        return compare(left, right, order)

    return lambda left, right: _binary_node(left, right, test)


def arithmetic_node(operation: Operation, symbol: str) -> Build:
    """Builder of nodes of an arithmetic operation."""
    return lambda left, right: _binary_node(left, right, lambda a, b: calculate(a, b, operation, symbol))


def _binary_node(left: Node, right: Node, apply: Callable[[Any, Any], Any]) -> Node:
    if left.name is not None and right.constant is not None:
        return Node(_compare_variable(left.name, right.constant[0], apply), 2)
    first, second = left.run, right.run
    return Node(lambda frame: apply(first(frame), second(frame)), tallest(left, right))


def _compare_variable(name: str, constant: Any, apply: Callable[[Any, Any], Any]) -> Callable[[Frame], Any]:
    def run(frame: Frame) -> Any:
        try:
            value = frame.lookup(name)
        except KeyError:
            raise EvaluationFailed(f"Unknown property/variable {name!r}") from None
        return apply(value, constant)

    return run
