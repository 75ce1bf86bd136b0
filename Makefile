# Everything a developer does; a fresh machine needs Python 3.11 and make, nothing else.
# PYTHON names the interpreter for .venv, ARGS goes to the command that a target runs.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
PY := .venv/bin/python
LOCAL := BPM_DEMO=1
FAST := not slow and not crash and not corpus
export PYTHON

##@ Try it
.PHONY: demo demo-once demo-pg
demo: .venv/ok-run  ## set up and run the demo: web server, cluster, example processes
	$(LOCAL) $(PY) manage.py demo $(ARGS)

demo-once: .venv/ok-run  ## set up, run the demo's processes once to their end, and leave
	$(LOCAL) $(PY) manage.py demo --once $(ARGS)

demo-pg: .venv/ok-postgres  ## the demo on a private PostgreSQL
	$(LOCAL) $(PY) -m bpm.project.postgres -- $(PY) manage.py demo $(ARGS)

##@ Develop
.PHONY: setup run fmt check lint lint-style lint-types lint-imports lint-django test test-sqlite test-postgresql counts bench lock
setup: .venv/ok-dev  ## make .venv with everything that tests and checks need

run: .venv/ok-run  ## web server and cluster with BPM_DEBUG=1; Ctrl-C ends both
	@export BPM_DEBUG=1; \
	$(PY) manage.py migrate --verbosity 0 || exit 1; \
	$(PY) manage.py cluster & cluster=$$!; \
	trap 'kill $$cluster 2>/dev/null; wait $$cluster' EXIT; trap 'exit 130' INT; trap 'exit 143' TERM; \
	$(PY) manage.py runserver $(ARGS)

fmt: .venv/ok-dev  ## format and sort the Python code
	.venv/bin/ruff check --fix --quiet . || true
	.venv/bin/ruff format --quiet .

check: lint  ## lint and the fast tests
	.venv/bin/pytest -q -m "$(FAST)" $(ARGS)

lint: lint-style lint-types lint-imports lint-django  ## style, types, import rules, Django's checks, missing migrations

lint-style: .venv/ok-dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

lint-types: .venv/ok-dev
	.venv/bin/mypy

lint-imports: .venv/ok-dev
	.venv/bin/lint-imports --no-logo

lint-django: .venv/ok-dev
	$(LOCAL) $(PY) manage.py check
	$(LOCAL) DATABASE_URL=sqlite://:memory: $(PY) manage.py makemigrations --check --dry-run

test: .venv/ok-dev  ## all tests on SQLite, then those that touch the database on PostgreSQL
	@status=0; \
	$(MAKE) --no-print-directory test-sqlite || status=1; \
	$(MAKE) --no-print-directory test-postgresql || status=1; \
	exit $$status

test-sqlite: .venv/ok-dev  ## all tests, on SQLite
	BPM_COUNT_RUN=sqlite .venv/bin/pytest $(ARGS)

test-postgresql: .venv/ok-dev  ## the tests that touch the database, on PostgreSQL
	BPM_COUNT_RUN=postgresql BPM_TEST_DATABASE=postgresql .venv/bin/pytest -m "database or postgresql" $(ARGS)

counts: .venv/ok-dev  ## write the numbers of collected tests to tests/expected_counts.json
	@mkdir -p var
	@BPM_COUNT_WRITE=1 BPM_COUNT_RUN=sqlite .venv/bin/pytest --collect-only -qq >var/counts.log \
	  || { tail -n 20 var/counts.log; exit 1; }
	@BPM_COUNT_WRITE=1 BPM_COUNT_RUN=postgresql BPM_TEST_DATABASE=postgresql \
	  .venv/bin/pytest --collect-only -qq -m "database or postgresql" >var/counts.log \
	  || { tail -n 20 var/counts.log; exit 1; }
	@cat tests/expected_counts.json

bench: .venv/ok-dev  ## benchmarks on a private PostgreSQL with durable commits
	$(LOCAL) $(PY) -m bpm.project.postgres --durable -- $(PY) manage.py bench $(ARGS)

COMPILE := .venv/bin/uv pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.11 \
  --custom-compile-command "make lock"
lock: .venv/ok-run  ## resolve requirements/*.in again into the hashed lock files
	for name in uv run postgres dev; do $(COMPILE) requirements/$$name.in -o requirements/$$name.txt || exit 1; done

##@ Other
.PHONY: help clean
help:  ## this text
	@awk 'BEGIN { FS = ":.*## " } /^##@/ { print "\n" substr($$0, 5) } \
	  /^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

clean:  ## remove the environment, caches and the demo's data
	rm -rf .venv var node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/ok-run: requirements/run.txt requirements/uv.txt
	requirements/install.sh run.txt
	@touch $@

.venv/ok-postgres: requirements/postgres.txt .venv/ok-run
	requirements/install.sh postgres.txt
	@touch $@

.venv/ok-dev: requirements/run.txt requirements/dev.txt requirements/uv.txt
	requirements/install.sh run.txt dev.txt
	@touch $@
