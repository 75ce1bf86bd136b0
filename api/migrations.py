"""/migrations/plan, preview and execute, /process-instances/{id}/migrate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Changed, MigrationResult, PlanChecked
from api.documented import documented
from api.kinds import Flag, Identifier, Text
from api.narrowing import require_versions
from api.problems import problem_body, status_of
from api.resource import Resource, read_write_call
from api.row_schema import list_of, schema_of
from api.shapes import Field, ListOf, Shape
from bpm import engine
from bpm.engine.answers import Answer
from bpm.engine.migration import MAX_INSTANCES

_TAG: Final = "operations"
_MAPPING: Final = Shape(
    "MappedNode",
    source_node_id=Field(Text(), required=True),
    target_node_id=Field(Text(), required=True),
)
_MAPPINGS: Final = Field(ListOf(_MAPPING, 0, 10_000), about="without them, nodes of equal id, kind and place")
_UPDATE: Final = Field(
    Flag(), default=False, about="wait anew at events that are mapped, instead of as before"
)
_OF_PLAN: Final = {
    "source_definition_id": Field(Identifier(), required=True),
    "target_definition_id": Field(Identifier(), required=True),
    "mappings": _MAPPINGS,
    "update_events": _UPDATE,
}
_IDS: Final = ListOf(Identifier(), 1, MAX_INSTANCES)
PLAN: Final = Shape("MigrationPlan", **_OF_PLAN)
PREVIEW: Final = Shape("PreviewMigration", **_OF_PLAN, instance_ids=Field(_IDS, required=True))
EXECUTE: Final = Shape(
    "ExecuteMigration",
    **_OF_PLAN,
    instance_ids=Field(_IDS, about="without them the oldest 1,000 that have not ended"),
)
MIGRATE: Final = Shape(
    "MigrateInstance",
    target_definition_id=Field(Identifier(), required=True),
    mappings=_MAPPINGS,
    update_events=_UPDATE,
)


def _mappings(fields: dict[str, Any]) -> dict[str, str] | None:
    given = fields["mappings"]
    return None if given is None else {one["source_node_id"]: one["target_node_id"] for one in given}


def _plan(fields: dict[str, Any]) -> engine.MigrationPlan:
    return engine.MigrationPlan(
        source=str(fields["source_definition_id"]),
        target=str(fields["target_definition_id"]),
        mappings=_mappings(fields),
        update_events=fields["update_events"],
    )


class MigrationPlans(Resource):
    """Making a plan and checking it."""

    @documented(
        "Complete and check a plan for migrating instances to another version",
        tag=_TAG,
        name="planMigration",
        body=PLAN,
        answer=schema_of(PlanChecked),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Return it with all its problems; nothing is written."""
        fields, context = read_write_call(request, PLAN)
        require_versions(fields["source_definition_id"], fields["target_definition_id"])
        return Response(engine.plan_migration(_plan(fields), tenant=context["tenant"]))


class MigrationPreviews(Resource):
    """Looking at what a plan would do."""

    @documented(
        "Tell for each instance how its tokens would stand after a migration, or what refuses it",
        tag=_TAG,
        name="previewMigration",
        body=PREVIEW,
        answer=list_of(MigrationResult),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Return one result per instance; nothing is written."""
        fields, context = read_write_call(request, PREVIEW)
        require_versions(fields["source_definition_id"], fields["target_definition_id"])
        named = [str(one) for one in fields["instance_ids"]]
        return Response(_results(engine.preview_migration(_plan(fields), named, tenant=context["tenant"])))


class MigrationExecutions(Resource):
    """Migrating many instances."""

    @documented(
        "Migrate instances to another version; each has its own outcome",
        tag=_TAG,
        name="executeMigration",
        body=EXECUTE,
        answer=list_of(MigrationResult),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Return one result per instance; a refusal leaves the others untouched. An operator's act."""
        fields, context = read_write_call(request, EXECUTE)
        require_versions(fields["source_definition_id"], fields["target_definition_id"])
        named = fields["instance_ids"]
        outcomes = engine.execute_migration(
            _plan(fields), None if named is None else [str(one) for one in named], **context
        )
        return Response(_results(outcomes))


class ProcessInstanceMigrate(Resource):
    """Migrating one instance."""

    @documented(
        "Migrate an instance to another version",
        tag="process instances",
        name="migrateProcessInstance",
        body=MIGRATE,
        answer=schema_of(Changed),
        write=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Migrate it; an operator's act."""
        fields, context = read_write_call(request, MIGRATE)
        require_versions(fields["target_definition_id"])
        answer = engine.migrate(
            instance_id,
            str(fields["target_definition_id"]),
            mappings=_mappings(fields),
            update_events=fields["update_events"],
            **context,
        )
        return Response(answer)


def _results(outcomes: Sequence[tuple[str, Answer | engine.EngineError]]) -> list[dict[str, Any]]:
    return [_result(instance, outcome) for instance, outcome in outcomes]


def _result(instance: str, outcome: Answer | engine.EngineError) -> dict[str, Any]:
    if isinstance(outcome, engine.EngineError):
        return {"status": status_of(outcome), "instance_id": instance, "problem": problem_body(outcome)}
    told = {"status": 200, "instance_id": instance, "instance_status": outcome["status"]}
    return told | ({"tokens": outcome["tokens"]} if "tokens" in outcome else {})
