"""Partial changes: what is named is changed, null takes away what may be absent, the rest stays."""

from __future__ import annotations

from typing import Any

from api.kinds import Wrong, json_type, pointer, wrong
from api.request_errors import FieldError
from api.shapes import Shape, unknown_members


class Changes(Shape):
    """An object with some of these members; those with `required` may not be null."""

    def read(self, value: Any) -> dict[str, Any]:
        """Return the values of the members that are there.

        Raises:
            Wrong: with all that is wrong inside, or nothing is there.
        """
        if not isinstance(value, dict):
            raise wrong("type", f"Expected an object, found {json_type(value)}.")
        if not value:
            raise wrong("length", f"Expected some of {', '.join(self.fields)}.")
        errors = unknown_members(value, self.fields)
        result = {name: self._change(name, value[name], errors) for name in self.fields if name in value}
        if errors:
            raise Wrong(*errors)
        return result

    def _change(self, name: str, given: Any, errors: list[FieldError]) -> Any:
        field = self.fields[name]
        if given is None and not field.required:
            return None
        try:
            return field.kind.read(given)
        except Wrong as inside:
            errors.extend(FieldError(pointer(name) + e.place, e.rule, e.message) for e in inside.errors)
            return None

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema: no member has to be there, but one."""
        found = super().schema()
        found.pop("required", None)
        return {**found, "minProperties": 1}
