"""What a modification consists of; an instance that starts elsewhere starts by the same (semantics §12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final

from bpm.core.ids import Id

BODY_MARK: Final = "#multiInstanceBody"
"""Stands behind the id of a multi-instance activity where all of it is meant, instead of one of its instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """Base of all instructions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelToken(Instruction):
    """End a token with all that goes on in the activity at which it stands."""

    token: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelAll(Instruction):
    """End all that goes on at a node; of a multi-instance activity each instance, or with the mark each body."""

    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelScope(Instruction):
    """End a scope with all that is in it, and the activity that it belongs to."""

    scope: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class StartInstruction(Instruction):
    """Start something.

    Attributes:
        variables: set before that, each where it stands outwards.
        local_variables: set in the outermost scope that is entered for it, else in the activity's own.
        ancestor: scope in which scopes are entered down to the target, whether or not there are such already.
    """

    variables: Mapping[str, Any] = field(default_factory=dict)
    local_variables: Mapping[str, Any] = field(default_factory=dict)
    ancestor: Id | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartBefore(StartInstruction):
    """Start at a node's entrance; at a multi-instance activity one more instance, or with the mark a new body."""

    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartAfter(StartInstruction):
    """Start behind a node, on its only outgoing flow."""

    node: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StartAtFlow(StartInstruction):
    """Start on a flow."""

    flow: str


def described(instruction: Instruction) -> dict[str, Any]:
    """Return an instruction as the history tells it: without values of variables."""
    told: dict[str, Any] = {"instruction": type(instruction).__name__}
    for spec in fields(instruction):
        value = getattr(instruction, spec.name)
        if isinstance(value, Mapping):
            value = sorted(value)
        if value not in (None, []):
            told[spec.name] = value
    return told
