"""Django settings for the type checker: models and options, neither files nor servers."""

from __future__ import annotations

import os

os.environ.setdefault("BPM_DEMO", "1")
os.environ.setdefault("BPM_SECRET_KEY", "only-for-types")
os.environ.setdefault("DATABASE_URL", "sqlite://:memory:")

from bpm.project.settings import *  # noqa: F403
