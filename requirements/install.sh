#!/bin/sh
# Makes .venv where it is missing and installs the named lock files into it, hashes checked.
# Usage: requirements/install.sh run.txt [dev.txt …]; PYTHON names an interpreter, else one is looked for.
set -eu
cd "$(dirname "$0")/.."

fits() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

find_python() {
    if [ -n "${PYTHON:-}" ]; then
        fits "$PYTHON" && { echo "$PYTHON"; return; }
        echo "PYTHON=$PYTHON: it does not run or is older than Python 3.11." >&2
        return 1
    fi
    for candidate in python3.11 python3 python3.12 python3.13; do
        fits "$candidate" && { echo "$candidate"; return; }
    done
    echo "Python 3.11 or newer was not found: install it, or say 'make PYTHON=/path/to/python3.11 …'." >&2
    return 1
}

make_environment() {
    python=$(find_python)
    fits .venv/bin/python || rm -rf .venv
    # Debian's python3 without python3-venv lacks ensurepip; pip can then install from outside.
    if "$python" -m venv .venv >/dev/null 2>&1; then
        pip=".venv/bin/python -m pip"
    elif "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --clear --without-pip .venv; then
        pip="$python -m pip --python .venv/bin/python"
    else
        echo "$python can make no virtual environment: install its venv module (Debian: python3-venv)." >&2
        exit 1
    fi
    $pip install --quiet --disable-pip-version-check --no-input --require-hashes -r requirements/uv.txt
}

fits .venv/bin/python && .venv/bin/uv --version >/dev/null 2>&1 || make_environment
locks=""
for lock in "$@"; do locks="$locks -r requirements/$lock"; done
# shellcheck disable=SC2086 # the list is split into words on purpose
VIRTUAL_ENV="$PWD/.venv" .venv/bin/uv pip install --quiet --require-hashes $locks
