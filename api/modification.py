"""/process-instances/{id}/modify."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import Modified
from api.documented import documented
from api.instructions import INSTRUCTIONS
from api.kinds import Flag
from api.postponing import ASYNC, postponable
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Shape
from bpm import engine

MODIFY: Final = Shape(
    "ModifyInstance",
    instructions=Field(INSTRUCTIONS, required=True, about="carried out in order, all of them or none"),
    preview=Field(Flag(), default=False, about="only tell where tokens would stand; nothing is written"),
    **ASYNC,
)


class ProcessInstanceModify(Resource):
    """Ending and starting at any place of an instance."""

    @documented(
        "End and start at any place of an instance",
        tag="process instances",
        name="modifyProcessInstance",
        body=MODIFY,
        answer=schema_of(Modified),
        write=True,
        postponable=True,
    )
    def post(self, request: Request, instance_id: str) -> Response:
        """Modify it, or tell what that would do; an operator's act."""
        fields, context = read_write_call(request, MODIFY)
        if fields["preview"]:
            tenant = context["tenant"]
            return Response(engine.preview_modification(instance_id, fields["instructions"], tenant=tenant))
        answer = engine.modify(instance_id, fields["instructions"], later=fields["async"], **context)
        return postponable(answer)
