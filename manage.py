#!/usr/bin/env python3
"""Django's command line for this project."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run one management command."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bpm.project.settings")
    if sys.argv[1:2] == ["demo"]:
        os.environ.setdefault("BPM_DEMO", "1")
    try:
        from django.core.management import execute_from_command_line
    except ImportError as error:
        raise SystemExit(
            f"{sys.executable} has no Django ({error}): run 'make setup', then .venv/bin/python manage.py …"
        ) from error
    from django.core.exceptions import ImproperlyConfigured

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        raise SystemExit(f"The settings are wrong. {error}") from None


if __name__ == "__main__":
    main()
