"""Django settings of a test run: SQLite in a file, or PostgreSQL with BPM_TEST_DATABASE=postgresql."""

from __future__ import annotations

import os

from tests.support.postgres import server_url
from tests.support.scratch import scratch_dir

TEST_DATABASE = os.environ.get("BPM_TEST_DATABASE") or "sqlite"
if TEST_DATABASE not in ("sqlite", "postgresql"):
    raise RuntimeError(f"BPM_TEST_DATABASE={TEST_DATABASE!r}: expected sqlite or postgresql.")

# A developer's own settings must not change what the tests see.
_OF_THE_RUN = (
    "BPM_TEST_",
    "BPM_COUNT",
    "BPM_CORPUS",
    "BPM_CRASH",
    "BPM_CHAOS",
    "BPM_REQUIRE_CORPUS",
    "BPM_FORBID_SKIPS",
)
for _name in [name for name in os.environ if name.startswith("BPM_") and not name.startswith(_OF_THE_RUN)]:
    del os.environ[_name]
os.environ["BPM_VAR_DIR"] = str(scratch_dir())
os.environ["BPM_DEMO"] = "1"
os.environ["BPM_SECRET_KEY"] = "only-for-tests-" * 5
os.environ["BPM_LOG_LEVEL"] = "WARNING"
# Which warnings a deployment gives must not depend on how busy the machine is; tests of them say their own bounds.
os.environ["BPM_EXPLORE_MS"] = "0"
# Power loss is not what these tests look at, and flushing each commit doubles their time.
os.environ["BPM_SQLITE_SYNCHRONOUS"] = "OFF"
os.environ["DATABASE_URL"] = (
    server_url() if TEST_DATABASE == "postgresql" else f"sqlite:///{scratch_dir() / 'plain.sqlite3'}"
)

from bpm.project.settings import *  # noqa: E402, F403
from bpm.project.settings import DATABASES  # noqa: E402

if TEST_DATABASE == "sqlite":
    # A file, not memory: threads and child processes of a test open it as production processes do.
    DATABASES["default"]["TEST"] = {"NAME": str(scratch_dir() / "test.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
