"""Settings from environment variables, with errors that name the variable and its rule."""

from __future__ import annotations

import os
from collections.abc import Mapping
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off", ""})


class Environment:
    """Typed access to environment variables.

    Every reader raises ``ImproperlyConfigured`` that names the variable, the value and the rule. A variable
    that is set to the empty text counts as unset.

    Attributes:
        names: the variables that have been read.
    """

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self._variables: Mapping[str, str] = os.environ if variables is None else variables
        self.names: set[str] = set()

    def text(self, name: str, default: str = "") -> str:
        """Return the stripped text of a variable."""
        self.names.add(name)
        return self._variables.get(name, "").strip() or default

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a yes/no variable: 1 true yes on, 0 false no off, in any case."""
        value = self.text(name)
        if not value:
            return default
        if value.lower() in _TRUE:
            return True
        if value.lower() in _FALSE:
            return False
        raise ImproperlyConfigured(f"{name}={value!r}: expected 1, true, yes, on or 0, false, no, off.")

    def integer(self, name: str, default: int, *, low: int, high: int) -> int:
        """Return a whole number with ``low <= number <= high``."""
        value = self.text(name)
        if not value:
            return default
        rule = f"expected a whole number from {low} to {high}."
        try:
            number = int(value)
        except ValueError:
            raise ImproperlyConfigured(f"{name}={value!r}: {rule}") from None
        if not low <= number <= high:
            raise ImproperlyConfigured(f"{name}={value!r}: {rule}")
        return number

    def words(self, name: str, default: tuple[str, ...] = ()) -> list[str]:
        """Return the parts of a comma-separated variable, without empty ones."""
        value = self.text(name)
        return [part.strip() for part in value.split(",") if part.strip()] if value else list(default)

    def choice(self, name: str, default: str, choices: tuple[str, ...]) -> str:
        """Return one of ``choices``, compared without regard to case."""
        value = self.text(name, default)
        found = {choice.lower(): choice for choice in choices}.get(value.lower())
        if found is None:
            raise ImproperlyConfigured(f"{name}={value!r}: expected one of {', '.join(choices)}.")
        return found

    def zone(self, name: str, default: str = "UTC") -> str:
        """Return the name of a time zone that the machine's zone data knows."""
        value = self.text(name, default)
        try:
            ZoneInfo(value)
        except (KeyError, OSError, ValueError):
            raise ImproperlyConfigured(
                f"{name}={value!r}: expected an IANA zone name such as Europe/Berlin."
            ) from None
        return value
