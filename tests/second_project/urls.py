"""Pages of the shop; each request is one transaction."""

from __future__ import annotations

from django.urls import path

from tests.second_project.shop import views

urlpatterns = [path("orders/<str:number>", views.place)]
