"""Answer of a deployment, as it goes over the wire."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class TimerStart(TypedDict):
    """A timer start with its next due times, at most ten."""

    node: str
    firings: list[str]


class DeployedDefinition(TypedDict):
    """A process of a deployment; `new` says whether it is a new version."""

    id: str
    key: str
    version: int
    version_tag: str
    name: str
    resource: str
    executable: bool
    new: bool
    deployment_id: str
    timer_starts: list[TimerStart]


class DeployWarning(TypedDict):
    """What a modeller should look at; `trace`: the steps that lead to it, where it was found by exploring."""

    resource: str
    element: str
    line: int
    rule: str
    message: str
    trace: NotRequired[list[str]]


class DeployedForm(TypedDict):
    """A new version of a form."""

    id: str
    key: str
    version: int
    resource: str


class Deployed(TypedDict):
    """A deployment."""

    deployment_id: str | None
    definitions: list[DeployedDefinition]
    forms: list[DeployedForm]
    warnings: list[DeployWarning]
