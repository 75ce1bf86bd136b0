"""What is changed in a function to see whether a test notices: one small change to its syntax tree at a time."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from typing import NamedTuple

_COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}


class Change(NamedTuple):
    """One change: the line, what is done, and what does it to a copy of that node."""

    line: int
    words: str
    place: int
    make: Callable[[ast.AST], ast.AST]


def changes(function: ast.FunctionDef) -> Iterator[Change]:
    """Yield every change that can be made in the body of a function."""
    for place, node in enumerate(ast.walk(function)):
        if isinstance(node, ast.expr | ast.stmt) and node is not function:
            yield from (Change(node.lineno, words, place, make) for words, make in _of(node))


def changed(function: ast.FunctionDef, change: Change) -> ast.FunctionDef:
    """Return the function with the change."""
    twin = copy.deepcopy(function)
    target = list(ast.walk(twin))[change.place]
    made = _Replacing(target, change.make(target)).visit(twin)
    assert isinstance(made, ast.FunctionDef)
    return ast.fix_missing_locations(made)


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST) -> None:
        self._old = old
        self._new = new

    def visit(self, node: ast.AST) -> ast.AST:
        if node is self._old:
            return ast.copy_location(self._new, node)
        return self.generic_visit(node)


def _of(node: ast.AST) -> Iterator[tuple[str, Callable[[ast.AST], ast.AST]]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARED:
        yield "comparison turned", _turn_comparison
    elif isinstance(node, ast.BoolOp):
        yield "and / or exchanged", _exchange
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", lambda one: one.operand  # type: ignore[attr-defined]
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition negated", _negate
    elif isinstance(node, ast.BinOp) and type(node.op) in _COMPUTED:
        yield "arithmetic turned", _turn_arithmetic
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "truth turned", lambda one: ast.Constant(not one.value)  # type: ignore[attr-defined]
    elif isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "number plus one", lambda one: ast.Constant(one.value + 1)  # type: ignore[attr-defined]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call dropped", lambda one: ast.Pass()
    elif isinstance(node, ast.AugAssign):
        yield "update dropped", lambda one: ast.Pass()
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield "nothing returned", lambda one: ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Raise):
        yield "raise dropped", lambda one: ast.Pass()


def _turn_comparison(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.Compare)
    return ast.Compare(node.left, [_COMPARED[type(node.ops[0])](), *node.ops[1:]], node.comparators)


def _exchange(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BoolOp)
    return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)


def _negate(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.If | ast.IfExp | ast.While)
    twin = copy.copy(node)
    twin.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
    return twin


def _turn_arithmetic(node: ast.AST) -> ast.AST:
    assert isinstance(node, ast.BinOp)
    return ast.BinOp(node.left, _COMPUTED[type(node.op)](), node.right)
