"""The application for ASGI servers; WSGI is faster for this project's synchronous views."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")

application = get_asgi_application()
