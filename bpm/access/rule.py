"""The form of an access rule."""

from __future__ import annotations

from typing import Final, NamedTuple

from bpm.access.permissions import Permission

COMPLETE, DEPLOY, OPERATE, START, VIEW, WORK, ADMINISTER = (
    Permission.COMPLETE,
    Permission.DEPLOY,
    Permission.OPERATE,
    Permission.START,
    Permission.VIEW,
    Permission.WORK,
    Permission.ADMINISTER,
)


class Rule(NamedTuple):
    """Who may call one method of one address.

    Attributes:
        permissions: any of them is enough; none: whoever is logged in.
        subject: what the id in the address is, for a writing call; see `bpm.access.account_statement.SUBJECTS`.
        public: no credentials are needed.
        own: without `operate`, only for a user task that is one's own or offered to one.
        starts: it may start instances, so it is refused where as many run as may.
        note: what the engine or the call's own code looks at besides.
    """

    permissions: tuple[Permission, ...] = ()
    subject: str = ""
    public: bool = False
    own: bool = False
    starts: bool = False
    note: str = ""


PUBLIC: Final = Rule(public=True)
LOGGED_IN: Final = Rule()


def needs(
    *permissions: Permission, of: str = "", own: bool = False, starts: bool = False, note: str = ""
) -> Rule:
    """Return the rule that asks for one of these permissions."""
    return Rule(permissions, subject=of, own=own, starts=starts, note=note)
