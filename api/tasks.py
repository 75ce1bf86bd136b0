"""/tasks: what waits for people and for workers."""

from __future__ import annotations

from heapq import merge
from typing import Any, Final

from rest_framework.request import Request
from rest_framework.response import Response

from api.documented import documented
from api.kinds import Flag, Identifier, Text
from api.paging import list_query
from api.request_errors import FieldError, RequestInvalid
from api.resource import Resource
from api.row_schema import page_of, schema_of
from api.shapes import Field, Query
from api.tenancy import tenant_of
from bpm.queries.external_tasks import ExternalTaskFilter, ExternalTaskRow, list_external_tasks
from bpm.queries.page import Page
from bpm.queries.tasks import find_task
from bpm.queries.user_tasks import UserTaskFilter, UserTaskRow, list_user_tasks
