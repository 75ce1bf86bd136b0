"""Routes of the whole project."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import URLPattern, URLResolver, include, path
from django.views.i18n import set_language

from bpm.access.tenant_choice import choose_tenant
from bpm.project.monitoring import views as monitoring
from cockpit.start import start

urlpatterns: list[URLPattern | URLResolver] = [
    path("admin/", admin.site.urls),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/tenant/", choose_tenant, name="tenant"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("i18n/setlang/", set_language, name="set_language"),
    path("health", monitoring.health, name="health"),
    path("ready", monitoring.ready, name="ready"),
    path("metrics", monitoring.metrics, name="metrics"),
    path("api/v1/", include("api.urls")),
    path("cockpit/", include("cockpit.urls")),
    path("tasks/", include("cockpit.tasklist.urls")),
    path("", start, name="start"),
]
