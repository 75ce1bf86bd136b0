"""Routes below /cockpit/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from cockpit import zone
from cockpit.views import (
    comparison,
    definition,
    definitions,
    diagrams,
    history,
    incidents,
    instance,
    instances,
    overview,
    replay,
    timeline,
    verification,
)

app_name = "cockpit"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview.overview, name="overview"),
    path("zone/", zone.choose_zone, name="zone"),
    path("incidents/", incidents.incidents, name="incidents"),
    path("instances/", instances.instances, name="instances"),
    path("instances/<str:instance_id>/", instance.instance, name="instance"),
    path("instances/<str:instance_id>/history/", history.history, name="history"),
    path("instances/<str:instance_id>/variables/", instance.variables, name="variables"),
    path("instances/<str:instance_id>/work/", instance.work, name="work"),
    path("instances/<str:instance_id>/timeline/", timeline.timeline_page, name="timeline"),
    path("instances/<str:instance_id>/timeline.json", timeline.timeline_piece, name="timeline_piece"),
    path("instances/<str:instance_id>/replay/", replay.replay, name="replay"),
    path("instances/<str:instance_id>/replay/<int:cursor>/", replay.snapshot, name="snapshot"),
    path("instances/<str:instance_id>/verification/", verification.verification, name="verification"),
    path("definitions/", definitions.definitions, name="definitions"),
    path("definitions/compare/", comparison.comparison, name="compare"),
    path("definitions/<str:definition_id>/", definition.definition, name="definition"),
    path("definitions/<str:definition_id>/live.json", definition.live, name="live"),
    path("definitions/<str:definition_id>/heat.json", definition.heat, name="heat"),
    path("definitions/<str:definition_id>/diagram.bpmn", diagrams.diagram_file, name="diagram"),
]
