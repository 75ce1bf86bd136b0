"""`manage.py create_groups`: the default groups with their permissions."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from bpm.access.groups import create_groups
from bpm.access.permissions import DEFAULT_GROUPS


class Command(BaseCommand):
    help = "Makes the default groups with their permissions; running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        for group in create_groups():
            held = ", ".join(sorted(f"bpm.{one}" for one in DEFAULT_GROUPS[group.name]))
            self.stdout.write(f"{group.name}: {held}")
