"""Settings of a project that knows the engine as one of its apps, and shares nothing else with it.

Everything that the engine does not ask for is left as Django has it. `SHOP_DATABASE_URL` names the database,
`SHOP_TRANSACTION_MODE` how SQLite begins a transaction (Django's own way is DEFERRED).
"""

from __future__ import annotations

import os
from typing import Any

import dj_database_url

SECRET_KEY = "only-for-tests"
INSTALLED_APPS = ["bpm", "tests.second_project.shop"]
ROOT_URLCONF = "tests.second_project.urls"
ALLOWED_HOSTS = ["testserver"]
USE_TZ = True
TIME_ZONE = "America/New_York"

DATABASES: dict[str, dict[str, Any]] = {
    "default": {
        **dj_database_url.parse(os.environ["SHOP_DATABASE_URL"]),
        "ATOMIC_REQUESTS": True,
    }
}
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {"transaction_mode": os.environ["SHOP_TRANSACTION_MODE"]}
    # A file, not memory: the threads of a test share it as processes do.
    DATABASES["default"]["TEST"] = {"NAME": DATABASES["default"]["NAME"]}
else:
    DATABASES["default"]["OPTIONS"] = {"options": "-c lock_timeout=500"}
    DATABASES["default"]["TEST"] = {"NAME": "test_shop"}
