"""/conditions."""

from __future__ import annotations

from typing import Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.answers import ConditionsEvaluated
from api.documented import documented
from api.kinds import Text, Variables
from api.narrowing import require_receiver
from api.resource import Resource, read_write_call
from api.row_schema import schema_of
from api.shapes import Field, Shape
from bpm import engine

CONDITIONS: Final = Shape(
    "EvaluateConditions",
    variables=Field(Variables(), about="for the conditions, and of the instances that start"),
    business_key=Field(Text(0, 255)),
    process_def_id=Field(Text(), about="key or definition id of the only process that may start"),
)


class Conditions(Resource):
    """Conditional starts."""

    @documented(
        "Start an instance at each conditional start that is true",
        tag="events",
        name="evaluateConditions",
        body=CONDITIONS,
        answer=schema_of(ConditionsEvaluated),
        write=True,
    )
    def post(self, request: Request) -> Response:
        """Evaluate them; nothing else ever does."""
        fields, context = read_write_call(request, CONDITIONS)
        require_receiver(None, fields["process_def_id"])
        answer = engine.evaluate_conditions(
            variables=fields["variables"],
            business_key=fields["business_key"],
            definition=fields["process_def_id"],
            **context,
        )
        return Response(answer)
