"""Whether a caller may do what a rule guards. No statement: the caller has been loaded with all it takes."""

from __future__ import annotations

from bpm.access.caller import Caller, Subject
from bpm.access.permissions import Permission
from bpm.access.rule import Rule


class Forbidden(Exception):
    """The caller may not do this; the text says what it would need."""


class Hidden(Exception):
    """To this caller there is no such thing."""


def judge(rule: Rule, caller: Caller, *, writes: bool) -> None:
    """Let a call pass, or raise.

    Args:
        writes: the call changes something, so its subject is looked at; reading is narrowed by `bpm.queries`.

    Raises:
        Forbidden, Hidden.
    """
    if not rule.permissions:
        return
    if not any(caller.account.may(permission, caller.tenant) for permission in rule.permissions):
        words = " or ".join(f"bpm.{permission}" for permission in rule.permissions)
        raise Forbidden(f"This needs the permission {words}.")
    if writes and rule.subject:
        _judge_subject(rule, caller)


def _judge_subject(rule: Rule, caller: Caller) -> None:
    subject = caller.subject
    if subject is None:
        if _is_narrowed(rule, caller):
            raise Hidden
        return
    if not any(_covers(caller, permission, subject) for permission in rule.permissions):
        if sees(caller, subject):
            raise Forbidden("This needs a permission for this process or topic.")
        raise Hidden
    if rule.own and not caller.may(Permission.OPERATE) and not is_theirs(caller, subject):
        raise Forbidden("The task is neither yours nor offered to you.")


def _is_narrowed(rule: Rule, caller: Caller) -> bool:
    """Return whether no permission of the rule is for everything; then what is not found is not theirs."""
    return all(
        caller.keys(permission) is not None or (permission is Permission.WORK and caller.topics() is not None)
        for permission in rule.permissions
    )


def _covers(caller: Caller, permission: Permission, subject: Subject) -> bool:
    if permission is Permission.WORK:
        topics = caller.topics()
        return topics is None or subject.topic in topics
    keys = caller.keys(permission)
    return keys is None or subject.keys <= keys


def sees(caller: Caller, subject: Subject) -> bool:
    """Return whether the caller sees a thing that it may not change."""
    keys = caller.keys(Permission.VIEW)
    if keys is None or subject.keys <= keys:
        return True
    people = caller.keys(Permission.COMPLETE)
    return (people is None or subject.keys <= people) and is_theirs(caller, subject)


def is_theirs(caller: Caller, subject: Subject) -> bool:
    """Return whether a user task is the caller's or, unassigned, offered to it; without candidates it is to all."""
    name = caller.account.name
    if subject.assignee:
        return subject.assignee == name
    if not subject.candidates:
        return True
    offers = {("user", name)} | {("group", group) for group in caller.account.groups}
    return bool(subject.candidates & offers)
