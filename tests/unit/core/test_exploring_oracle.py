"""What an exploration finds is what the markings of the model say, told by plain token semantics."""

from __future__ import annotations

import pytest
from hypothesis import assume, event, given
from hypothesis import strategies as st

from bpm.core.exploring import PLAIN, Bounds, explore
from tests.support.markings import facts_of
from tests.support.model import Model
from tests.support.model_graph import build_graph
from tests.support.random_models import unstructured_models
from tests.support.refined_models import refined_models

# Most of a minute on an idle machine.
pytestmark = pytest.mark.timeout(600)
CONDITIONS = ("x > 1", "x > 2", "y == 1")
MODELS = st.one_of(
    refined_models(CONDITIONS),
    unstructured_models(("par", "xor", "user", "task"), CONDITIONS, ("par", "user", "task")),
)


@given(MODELS)
def test_faults_are_found_where_the_markings_have_them_and_nowhere_else(model: Model) -> None:
    facts = facts_of(model)
    assume(facts is not None)
    assert facts is not None
    report = explore(build_graph(model), PLAIN, Bounds(states=4_000))
    assume(report.complete or not facts.safe)
    found = {finding.rule for finding in report.findings}
    event(" ".join(sorted(found)) or "sound")
    assert "invariant-broken" not in found
    crowded = bool(found & {"lack-of-synchronisation", "unbounded-growth"})
    if not facts.safe:
        # Two tokens that pass a node nobody waits at, on one and the same way, are one after the other in the engine.
        assert crowded or not report.complete or _only_by_one_way(model)
        return
    assert not crowded
    assert bool(found & {"deadlock", "livelock"}) == facts.hopeless
    assert ("deadlock" in found) <= facts.stuck
    dead = {finding.element for finding in report.findings if finding.rule == "dead-node"}
    assert dead <= facts.dead
    assert bool(dead) >= bool(facts.dead and not facts.hopeless)


def _only_by_one_way(model: Model) -> bool:
    return all(len(model.incoming[node.id]) < 2 or not node.flows for node in model.nodes)
