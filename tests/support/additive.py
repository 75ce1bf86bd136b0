"""Whether the release before can run on a database that a migration has changed, and go on while it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from django.db import models
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ModelState, ProjectState
from django.db.models import Value
from django.db.models.expressions import Expression
from django.db.models.fields import NOT_PROVIDED

_HARMLESS: Final = (
    operations.AlterModelOptions,
    operations.AlterModelManagers,
    operations.AlterModelTableComment,
    operations.RenameIndex,
)


def later_objections(first: Mapping[str, str], reviewed: Mapping[str, str]) -> dict[str, list[str]]:
    """Return migration to what speaks against it, for all that came after a release.

    Args:
        first: app to the newest migration of that release.
        reviewed: migrations with code or SQL of their own, which only people can judge, with their judgement.
    """
    loader = MigrationLoader(None)
    graph = loader.graph
    released = {node for leaf in first.items() for node in graph.forwards_plan(leaf)}
    later = [
        node
        for leaf in graph.leaf_nodes()
        if leaf[0] in first
        for node in graph.forwards_plan(leaf)
        if node[0] in first and node not in released
    ]
    state = loader.project_state(list(first.items()))
    before = set(state.models)
    found: dict[str, list[str]] = {}
    for node in dict.fromkeys(later):
        migration = graph.nodes[node]
        name = ".".join(node)
        texts = [] if name in reviewed else list(objections(migration, state, before))
        if texts:
            found[name] = texts
        state = migration.mutate_state(state)
    return found


def objections(migration: Migration, state: ProjectState, before: set[tuple[str, str]]) -> Iterator[str]:
    """Yield what speaks against a migration.

    Args:
        state: before it.
        before: app and model of the tables that the release before knows; what is done to others does not matter.
    """
    state = state.clone()
    for operation in migration.operations:
        for text in _of_one(operation, migration.app_label, state, before):
            yield f"{operation.describe()}: {text}"
        operation.state_forwards(migration.app_label, state)


def _of_one(
    operation: Operation, app: str, state: ProjectState, before: set[tuple[str, str]]
) -> Iterator[str]:
    if isinstance(operation, _HARMLESS):
        return
    if isinstance(operation, operations.CreateModel):
        for name, field in operation.fields:
            if _refers_to(field, app) in before and getattr(field, "db_constraint", True):
                yield f"{name}: a foreign key keeps the release before from deleting rows of a table it knows"
        return
    table: str | None = getattr(operation, "model_name", None) or getattr(operation, "name", None)
    if table is not None and (app, table.lower()) not in before:
        return
    rule = _RULES.get(type(operation))
    if rule is None:
        yield "only people can judge this: look at it, and list it as reviewed"
        return
    yield from rule(operation, state.models[app, table.lower()] if table else None)


def _refers_to(field: Any, app: str) -> tuple[str, str] | None:
    if not isinstance(field, models.ForeignKey):
        return None
    target: Any = field.remote_field.model
    text = target if isinstance(target, str) else target._meta.label_lower
    label, _, model = text.lower().rpartition(".")
    return (label or app, model)


def _refused(text: str) -> Callable[[Any, Any], Iterator[str]]:
    return lambda _operation, _model: iter([text])


def _added_field(operation: operations.AddField, _model: ModelState) -> Iterator[str]:
    field: Any = operation.field
    if field.many_to_many:
        return
    default = field.db_default
    if not field.null and default is NOT_PROVIDED:
        yield "rows that the release before inserts have no value for it: null=True, or db_default"
    if isinstance(default, Expression) and not isinstance(default, Value):
        yield "a computed default writes the whole table anew, locked"
    if field.unique or field.db_index or isinstance(field, models.ForeignKey):
        yield "an index or a foreign key on a table that is in use locks it while it is built"


def _altered_field(operation: operations.AlterField, model: ModelState) -> Iterator[str]:
    old, new = model.fields[operation.name], operation.field
    if old.null and not new.null:
        yield "the release before may write null"
    if old.db_default is not NOT_PROVIDED and new.db_default is NOT_PROVIDED:
        yield "the release before may rely on the database's default"
    if new.unique and not old.unique:
        yield "the release before may write a value twice"
    if old.get_internal_type() != new.get_internal_type():
        yield "another type writes the whole table anew, and the release before may read or write the old one"
    if new.max_length is not None and (old.max_length is None or new.max_length < old.max_length):
        yield "the release before may write longer texts"
    if (old.db_column or operation.name) != (new.db_column or operation.name):
        yield "the release before names the column as it was"


def _removed_constraint(operation: operations.RemoveConstraint, model: ModelState) -> Iterator[str]:
    if isinstance(model.get_constraint_by_name(operation.name), models.UniqueConstraint):
        yield "ON CONFLICT of the release before needs the unique constraint"


_LOCKS: Final = "the table cannot be written while it is built: build it concurrently, in reviewed SQL"
_BREAKS: Final = "rows of the release before may break it, and the table is locked while it is checked"
_USES: Final = "the release before uses it"
_RULES: Final[Mapping[type[Operation], Callable[[Any, Any], Iterator[str]]]] = {
    operations.AddField: _added_field,
    operations.AlterField: _altered_field,
    operations.RemoveConstraint: _removed_constraint,
    operations.AddIndex: _refused(_LOCKS),
    operations.AddConstraint: _refused(_BREAKS),
    operations.AlterUniqueTogether: _refused(_BREAKS),
    operations.RemoveIndex: _refused("statements of the release before may need it"),
    operations.RemoveField: _refused(_USES),
    operations.RenameField: _refused(_USES),
    operations.DeleteModel: _refused(_USES),
    operations.RenameModel: _refused(_USES),
    operations.AlterModelTable: _refused(_USES),
}
