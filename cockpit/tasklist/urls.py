"""Routes below /tasks/."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, path

from cockpit.tasklist import actions, after, detail, lists, starting

app_name = "tasklist"
urlpatterns: list[URLPattern | URLResolver] = [
    path("", lists.tasks, name="tasks"),
    path("news/", lists.news, name="news"),
    path("start/", starting.processes, name="processes"),
    path("start/<str:process>/", starting.start, name="start"),
    path("start/<str:process>/fields/", starting.start_fields, name="start-fields"),
    path("after/<str:signed>/", after.after, name="after"),
    path("<uuid:task_id>/", detail.task, name="task"),
    path("<uuid:task_id>/complete/", actions.complete, name="complete"),
    path("<uuid:task_id>/claim/", actions.claim, name="claim"),
    path("<uuid:task_id>/release/", actions.release, name="release"),
    path("<uuid:task_id>/delegate/", actions.delegate, name="delegate"),
    path("<uuid:task_id>/comment/", actions.comment, name="comment"),
    path("<uuid:task_id>/fields/", actions.fields, name="fields"),
]
