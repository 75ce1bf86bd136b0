"""Closures of FEEL's operators: arithmetic, comparison, three-valued logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bpm.core.expressions import arithmetic
from bpm.core.expressions.arithmetic import read_number
from bpm.core.expressions.bounds import TEXT_PER_STEP
from bpm.core.expressions.feel import temporal_arithmetic
from bpm.core.expressions.feel.comparison import compare, equals
from bpm.core.expressions.feel.parser import read_variable
from bpm.core.expressions.feel.ranges import matches
from bpm.core.expressions.feel.temporal import DaysDuration, MonthsDuration
from bpm.core.expressions.frame import Frame, bound_text
from bpm.core.expressions.pratt import Node, Run, tallest

Apply = Callable[[Any, Any], Any]
_PLAIN = (str, int)


def plus(left: Any, right: Any) -> Any:
    """Sum of numbers, or a duration added."""
    first, second = read_number(left), read_number(right)
    if first is not None and second is not None:
        return arithmetic.add(first, second)
    return temporal_arithmetic.add(left, right)


def minus(left: Any, right: Any) -> Any:
    """Difference of numbers or of dates and durations."""
    first, second = read_number(left), read_number(right)
    if first is not None and second is not None:
        return arithmetic.subtract(first, second)
    return temporal_arithmetic.subtract(left, right)


def times(left: Any, right: Any) -> Any:
    """Product of numbers, or of a number and a duration."""
    first, second = read_number(left), read_number(right)
    if first is not None and second is not None:
        return arithmetic.multiply(first, second)
    if first is not None and isinstance(right, DaysDuration | MonthsDuration):
        return temporal_arithmetic.multiply(right, first)
    if second is not None and isinstance(left, DaysDuration | MonthsDuration):
        return temporal_arithmetic.multiply(left, second)
    return None


def divided_by(left: Any, right: Any) -> Any:
    """Quotient of numbers, or of a duration and a number or duration."""
    if isinstance(left, DaysDuration | MonthsDuration):
        return temporal_arithmetic.divide(left, right)
    return calculate(arithmetic.divide, left, right)


def to_the_power(left: Any, right: Any) -> Any:
    """Power of numbers."""
    return calculate(arithmetic.power, left, right)


def calculate(operation: arithmetic.Operation, left: Any, right: Any) -> Any:
    """Result of an operation of two numbers, null when a side is none."""
    first, second = read_number(left), read_number(right)
    return None if first is None or second is None else operation(first, second)


def negated(value: Any) -> Any:
    """Number or duration with the other sign."""
    number = read_number(value)
    if number is not None:
        return arithmetic.negate(number)
    return temporal_arithmetic.negate(value) if isinstance(value, DaysDuration | MonthsDuration) else None


def binary_node(apply: Apply) -> Callable[[Node, Node], Node]:
    """Builder of nodes that apply an operation to two operands."""

    def build(left: Node, right: Node) -> Node:
        first, second = left.run, right.run
        if left.name is None or right.constant is None:
            return Node(lambda frame: apply(first(frame), second(frame)), tallest(left, right))
        name, constant = left.name, right.constant[0]

        def run(frame: Frame) -> Any:
            try:
                value = frame.lookup(name)
            except KeyError:
                value = read_variable(frame, name)
            return apply(value, constant)

        return Node(run, 2)

    return build


def sum_node(left: Node, right: Node) -> Node:
    """Node of ``+``, which joins texts too."""
    first, second = left.run, right.run

    def run(frame: Frame) -> Any:
        one, other = first(frame), second(frame)
        if isinstance(one, str) and isinstance(other, str):
            frame.charge((len(one) + len(other)) // TEXT_PER_STEP)
            return bound_text(one + other)
        return plus(one, other)

    return Node(run, tallest(left, right))


def order_test(order: Callable[[Any, Any], bool]) -> Apply:
    """Test of one of ``< > <= >=``, given as an operation on numbers."""

    def test(left: Any, right: Any) -> bool | None:
        if type(left) is int and type(right) is int:
            return order(left, right)
        result = compare(left, right)
        return None if result is None else order(result, 0)

    return test


def equality_node(wanted: bool) -> Callable[[Node, Node], Node]:
    """Builder of nodes of ``=``, or of ``!=`` when ``wanted`` is false."""

    def build(left: Node, right: Node) -> Node:
        first, second = left.run, right.run

        def run(frame: Frame) -> bool | None:
            one, other = first(frame), second(frame)
            if type(one) is type(other) and type(one) in _PLAIN:
                return bool(one == other) is wanted
            same = equals(one, other, frame.charge)
            return None if same is None else same is wanted

        return Node(run, tallest(left, right))

    return build


def connective_node(symbol: str, left: Node, right: Node) -> Node:
    """Node of ``and`` or ``or``; a chain of one of them is one node."""
    runs = [*left.parts[1], right.run] if left.parts and left.parts[0] == symbol else [left.run, right.run]
    height = max(left.height, right.height + 1) if len(runs) > 2 else tallest(left, right)
    return Node(_connect(runs, symbol == "or"), height, parts=(symbol, runs))


def _connect(runs: list[Run], decisive: bool) -> Run:
    neutral = not decisive

    def connect(frame: Frame) -> bool | None:
        result: bool | None = neutral
        for run in runs:
            value: Any = run(frame)
            if value is decisive:
                return bool(decisive)
            if value is not neutral:
                result = None
        return result

    return connect


def between_node(value: Node, low: Node, high: Node) -> Node:
    """Node of ``value between low and high``, both ends included."""
    read, first, last = value.run, low.run, high.run

    def run(frame: Frame) -> bool | None:
        middle = read(frame)
        above, below = compare(middle, first(frame)), compare(middle, last(frame))
        return None if above is None or below is None else above >= 0 and below <= 0

    return Node(run, tallest(value, low, high))


def membership_node(value: Node, tests: list[Node]) -> Node:
    """Node of ``value in (test, …)``: true when any test is, null when a lone one cannot tell."""
    read, runs = value.run, [test.run for test in tests]

    def run(frame: Frame) -> bool | None:
        subject = read(frame)
        results = [matches(subject, test(frame), frame.charge) for test in runs]
        return results[0] if len(results) == 1 else any(result is True for result in results)

    return Node(run, tallest(value, *tests))


def any_test(tests: list[tuple[Node, bool]], *, negated: bool) -> Run:
    """Closure of unary tests on the variable ``?``; each with whether it names ``?`` itself."""
    runs = [(node.run, uses_input) for node, uses_input in tests]

    def run(frame: Frame) -> bool:
        subject = read_variable(frame, "?")
        for test, uses_input in runs:
            value = test(frame)
            if value is True and (uses_input or not isinstance(subject, bool)):
                return not negated
            if not uses_input and matches(subject, value, frame.charge) is True:
                return not negated
        return negated

    return run
