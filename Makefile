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

demo-once: .venv/ok-run  ## set up, run the demo until its payment has ended, and leave
	$(LOCAL) $(PY) manage.py demo --once $(ARGS)

demo-pg: .venv/ok-postgres  ## the demo on a private PostgreSQL
	$(LOCAL) $(PY) -m bpm.project.postgres -- $(PY) manage.py demo $(ARGS)

##@ Develop
.PHONY: setup run fmt check crash-matrix lint lint-style lint-types lint-imports lint-django test calm-sqlite calm-postgresql crash-sqlite crash-postgresql generated-postgresql test-sqlite test-postgresql counts mutation bench lock vendor screenshots messages
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

# Two lanes, so that both databases and two cores are busy to the end; whichever is free first takes the next part.
# The last part is the shortest, or one lane would stand idle for as long as it takes. FIRST=lint lets them begin with
# what checks the text.
PARTS := calm-postgresql calm-sqlite crash-postgresql crash-sqlite generated-postgresql
GENERATED := tests/api/test_schemathesis.py
ON_POSTGRESQL := BPM_TEST_DATABASE=postgresql .venv/bin/pytest -m
test: .venv/ok-dev  ## all tests, on SQLite and on PostgreSQL side by side; those that kill processes afterwards
	@$(MAKE) --no-print-directory -j2 -k -O $(FIRST) $(PARTS)

calm-sqlite: .venv/ok-dev
	BPM_COUNT_RUN=sqlite .venv/bin/pytest -m "not crash" $(ARGS)

calm-postgresql: .venv/ok-dev
	BPM_COUNT_RUN=postgresql $(ON_POSTGRESQL) "(database or postgresql) and not crash" --ignore=$(GENERATED) $(ARGS)

crash-sqlite: .venv/ok-dev
	BPM_COUNT_RUN=sqlite-crash .venv/bin/pytest -m crash $(ARGS)

crash-postgresql: .venv/ok-dev
	BPM_COUNT_RUN=postgresql-crash $(ON_POSTGRESQL) "(database or postgresql) and crash" $(ARGS)

generated-postgresql: .venv/ok-dev
	BPM_COUNT_RUN=postgresql-generated $(ON_POSTGRESQL) "database or postgresql" $(GENERATED) $(ARGS)

test-sqlite: .venv/ok-dev  ## all tests, on SQLite
	.venv/bin/pytest $(ARGS)

test-postgresql: .venv/ok-dev  ## the tests that touch the database, on PostgreSQL
	$(ON_POSTGRESQL) "database or postgresql" $(ARGS)

counts: .venv/ok-dev  ## write the numbers of collected tests to tests/expected_counts.json
	@mkdir -p var
	@for part in $(PARTS); do \
	  BPM_COUNT_WRITE=1 $(MAKE) --no-print-directory $$part ARGS="--collect-only -qq" >var/counts.log 2>&1 \
	  || { tail -n 20 var/counts.log; exit 1; }; \
	done
	@cat tests/expected_counts.json

crash-matrix: .venv/ok-dev  ## kill the stories at every one of their statements, on both databases
	BPM_CRASH_EVERY=1 .venv/bin/pytest -k matrix tests/crash tests/corpus $(ARGS)
	BPM_CRASH_EVERY=1 BPM_TEST_DATABASE=postgresql .venv/bin/pytest -k matrix tests/crash tests/corpus $(ARGS)

mutation: .venv/ok-dev  ## do the fast tests notice faults? deliberate ones, and changes drawn at random (an hour)
	@status=0; \
	nice $(PY) -m tests.mutation core --mutants 130 $(ARGS) || status=1; \
	nice $(PY) -m tests.mutation shell --mutants 70 $(ARGS) || status=1; \
	nice $(PY) -m tests.mutation remembering --mutants 60 $(ARGS) || status=1; \
	exit $$status

bench: .venv/ok-dev  ## benchmarks on a private PostgreSQL with durable commits
	$(LOCAL) $(PY) -m bpm.project.postgres --durable -- $(PY) manage.py bench $(ARGS)

messages: .venv/ok-dev  ## take the pages' texts into the catalogue of translations, and compile it
	$(PY) -m tests.support.catalogue

COMPILE := .venv/bin/uv pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.11 \
  --custom-compile-command "make lock"
lock: .venv/ok-run  ## resolve requirements/*.in again into the hashed lock files
	for name in uv run postgres dev; do $(COMPILE) requirements/$$name.in -o requirements/$$name.txt || exit 1; done

VENDOR := cockpit/static/cockpit/vendor
VIEWER := node_modules/bpmn-js
vendor: package.json package-lock.json  ## copy the browser files that package-lock.json names into the tree (needs npm)
	npm ci
	mkdir -p $(VENDOR)
	cp $(VIEWER)/dist/bpmn-navigated-viewer.production.min.js $(VENDOR)/bpmn-navigated-viewer.min.js
	cp $(VIEWER)/dist/assets/diagram-js.css $(VIEWER)/dist/assets/bpmn-js.css $(VENDOR)/
	cp $(VIEWER)/LICENSE $(VENDOR)/bpmn-js.LICENSE
	cp node_modules/idiomorph/dist/idiomorph-ext.min.js $(VENDOR)/
	cp node_modules/idiomorph/LICENSE $(VENDOR)/idiomorph.LICENSE

screenshots: .venv/ok-dev  ## make the pictures of the documentation with Chromium
	$(LOCAL) $(PY) -m tests.browser.screenshots docs/images

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
