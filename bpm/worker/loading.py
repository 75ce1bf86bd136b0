"""Finds handlers by the names that the command line gives."""

from __future__ import annotations

import importlib
import inspect
from operator import attrgetter

from bpm.worker.handler import TaskHandler


class HandlerNotFound(ValueError):
    """A name on the command line that leads to no handler; the message says where the way ends."""


def load_handler(name: str) -> TaskHandler:
    """Import `module:Handler`: a class that needs no arguments, or a handler object.

    Errors that the module raises while it is imported, or the class while it is made, are passed on.

    Raises:
        HandlerNotFound: No such module or attribute, or not a handler.
    """
    module_name, colon, path = name.partition(":")
    if not (module_name and colon and path):
        raise HandlerNotFound(f"{name!r} must look like module:Handler")
    found = _attribute(_module(module_name, name), path, name)
    handler = _instance(found, name) if isinstance(found, type) else found
    if not isinstance(handler, TaskHandler):
        raise HandlerNotFound(f"{name!r} is no handler: it needs task_type and handle(task, context)")
    return handler


def _module(module_name: str, name: str) -> object:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        # A missing import inside the module is that module's own fault and keeps its traceback.
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise
        raise HandlerNotFound(f"{name!r}: there is no module {error.name!r}") from None


def _attribute(module: object, path: str, name: str) -> object:
    try:
        return attrgetter(path)(module)
    except AttributeError as error:
        raise HandlerNotFound(f"{name!r}: {error}") from None


def _instance(kind: type, name: str) -> object:
    try:
        inspect.signature(kind).bind()
    except TypeError as error:
        raise HandlerNotFound(f"{name!r} cannot be made without arguments: {error}") from None
    return kind()
