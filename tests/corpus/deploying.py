"""Deploying a file of a corpus: refused only for what is not built yet, the case is for later."""

from __future__ import annotations

from bpm.core.errors import DefinitionInvalid
from tests.support.corpus_scores import Later
from tests.support.hosts import Host

NOT_YET = frozenset({"unsupported-element", "unsupported-attribute"})
"""Rules by which a file is refused although nothing is wrong with it."""


def deploy_or_later(host: Host, *files: bytes) -> list[str]:
    """Deploy files; return the process keys.

    Raises:
        Later: all problems are of something that the engine does not have yet.
        DefinitionInvalid: the file breaks a rule.
    """
    try:
        return host.deploy(*files)
    except DefinitionInvalid as invalid:
        if all(problem.rule in NOT_YET for problem in invalid.problems):
            raise Later(invalid.problems[0].message) from None
        raise
