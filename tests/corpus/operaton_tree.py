"""Where an instance stands, as the tree of active nodes in which the peer shows it."""

from __future__ import annotations

import json
from typing import Any

from bpm.core.graph import Graph
from bpm.core.ids import Id
from bpm.core.layers import HANDLER
from bpm.core.rows import Scope
from bpm.core.state import State
from bpm.core.token import Token, TokenStatus, Wait
from tests.corpus.operaton_names import BODY_SUFFIX

Tree = dict[str, Any]
_BODIES = ("multiInstance", "loop")


def active_tree(graph: Graph, state: State) -> Tree:
    """Return the process's own scope as a node: `children`, and `async` for waiting continuations."""
    return _inside(graph, state, state.instance.id)


def active_leaves(graph: Graph, state: State) -> list[str]:
    """Return the ids of the nodes at which something is active, once per token."""
    found: list[str] = []

    def collect(tree: Tree) -> None:
        found.extend(tree["async"])
        for child in tree["children"]:
            if child["children"] or child["async"]:
                collect(child)
            else:
                found.append(child["node"])

    collect(active_tree(graph, state))
    return found


def _inside(graph: Graph, state: State, scope: Id) -> Tree:
    tree: Tree = {"children": [], "async": []}
    for token in state.tokens.values():
        if token.scope == scope and not token.final:
            _add_token(graph, state, tree, token)
    for inner in _active_in(state, scope):
        if inner.kind == HANDLER:
            _splice(tree, _inside(graph, state, inner.id))
        elif inner.outer_token is None:
            name = inner.node + (BODY_SUFFIX if _reopens_a_body(graph, state, inner) else "")
            tree["children"].append({"node": name, **_inside(graph, state, inner.id)})
    return tree


def _splice(tree: Tree, within: Tree) -> None:
    tree["children"] += within["children"]
    tree["async"] += within["async"]


def _reopens_a_body(graph: Graph, state: State, scope: Scope) -> bool:
    loops = getattr(graph.nodes[scope.node], "loop", None) is not None
    return loops and scope.parent is not None and state.scopes[scope.parent].node != scope.node


def _add_token(graph: Graph, state: State, tree: Tree, token: Token) -> None:
    inner = next((scope for scope in _active_in(state, token.scope) if scope.outer_token == token.id), None)
    if token.status is TokenStatus.READY:
        tree["async"].append(_name(graph, state, token))
    elif token.wait is not Wait.SCOPE or inner is None:
        tree["children"].append({"node": token.node, "children": [], "async": []})
    elif inner.kind in _BODIES:
        tree["children"].append({"node": token.node + BODY_SUFFIX, **_inside(graph, state, inner.id)})
    elif inner.kind == "activity":
        _splice(tree, _inside(graph, state, inner.id))
    else:
        tree["children"].append({"node": token.node, **_inside(graph, state, inner.id)})


def _name(graph: Graph, state: State, token: Token) -> str:
    """A continuation around the whole of a multi-instance belongs to its body."""
    loops = getattr(graph.nodes[token.node], "loop", None) is not None
    return token.node + BODY_SUFFIX if loops and state.scopes[token.scope].node != token.node else token.node


def _active_in(state: State, scope: Id) -> list[Scope]:
    return [row for row in state.scopes.values() if row.parent == scope and row.status == "ACTIVE"]


def comparable(tree: Tree) -> Tree:
    """Return the tree with everything in a fixed order and empty parts left out."""
    children = sorted((comparable(child) for child in tree.get("children", ())), key=json.dumps)
    waiting = sorted(tree.get("async", ()))
    found: Tree = {"node": tree.get("node", "")}
    return found | ({"children": children} if children else {}) | ({"async": waiting} if waiting else {})
