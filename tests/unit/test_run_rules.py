"""The rules of a test run: selection by database and corpus, forbidden skips, counted tests."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.support.commands import run_python

SAMPLE = """
import pytest

@pytest.mark.postgresql
def test_on_postgresql(): pass

@pytest.mark.sqlite
def test_on_sqlite(): pass

@pytest.mark.corpus
def test_with_corpus(): pass

def test_with_rows(db): pass

@pytest.fixture
def db(): pass

def test_plain(): pass
"""
MARKERS = "[pytest]\nmarkers =\n  postgresql\n  sqlite\n  corpus\n  database\n"


def _run(
    folder: Path, sample: str, *arguments: str, plugin: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    (folder / "test_sample.py").write_text(sample)
    (folder / "pytest.ini").write_text(MARKERS)
    options = ("-p", "no:cacheprovider", "-p", f"tests.support.{plugin}")
    return run_python(
        *("-m", "pytest", "-c", str(folder / "pytest.ini"), *options, str(folder), *arguments),
        **variables,
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
    )


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, ["test_on_sqlite", "test_with_rows", "test_plain"]),
        ({"BPM_TEST_DATABASE": "postgresql"}, ["test_on_postgresql", "test_with_rows", "test_plain"]),
        ({"BPM_CORPUS": "/"}, ["test_on_sqlite", "test_with_corpus", "test_with_rows", "test_plain"]),
    ],
)
def test_each_run_selects_what_it_can_serve(
    tmp_path: Path, variables: dict[str, str], expected: list[str]
) -> None:
    done = _run(tmp_path, SAMPLE, "--collect-only", "-q", plugin="selection", **variables)
    found = [line.split("::")[1] for line in done.stdout.splitlines() if "::" in line]
    assert found == expected


def test_tests_that_ask_for_rows_are_marked_by_themselves(tmp_path: Path) -> None:
    done = _run(tmp_path, SAMPLE, "--collect-only", "-q", "-m", "database", plugin="selection")
    assert [line.split("::")[1] for line in done.stdout.splitlines() if "::" in line] == ["test_with_rows"]


def test_the_header_says_that_corpus_tests_are_left_out(tmp_path: Path) -> None:
    done = _run(tmp_path, SAMPLE, plugin="selection")
    assert "corpus tests are deselected, set BPM_CORPUS" in done.stdout
    assert "3 passed, 2 deselected" in done.stdout


@pytest.mark.parametrize("variables", [{"BPM_REQUIRE_CORPUS": "1"}, {"BPM_CORPUS": "/no/such/folder"}])
def test_a_required_or_named_corpus_that_is_absent_stops_the_run(
    tmp_path: Path, variables: dict[str, str]
) -> None:
    done = _run(tmp_path, SAMPLE, plugin="selection", **variables)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "BPM_CORPUS" in done.stderr


@pytest.mark.parametrize(
    "sample",
    [
        "import pytest\ndef test_a(): pytest.skip('no')\ndef test_b(): pass",
        "import pytest\npytest.skip('no', allow_module_level=True)",
        "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False\ndef test_b(): pass",
    ],
)
def test_skips_fail_the_run_only_where_they_are_forbidden(tmp_path: Path, sample: str) -> None:
    tolerated = _run(tmp_path, sample, plugin="skips")
    forbidden = _run(tmp_path, sample, plugin="skips", BPM_FORBID_SKIPS="1")
    assert tolerated.returncode in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert forbidden.returncode == pytest.ExitCode.TESTS_FAILED
    assert "skips are forbidden in this run" in forbidden.stdout


def _count(folder: Path, sample: str, **variables: str) -> subprocess.CompletedProcess[str]:
    counts = str(folder / "counts.json")
    return _run(folder, sample, plugin="counts", BPM_COUNT_RUN="sqlite", BPM_COUNTS_FILE=counts, **variables)


def test_fewer_tests_than_committed_fail_the_run_and_more_do_not(tmp_path: Path) -> None:
    two = "def test_a(): pass\ndef test_b(): pass\n"
    assert _count(tmp_path, two, BPM_COUNT_WRITE="1").returncode == 0
    assert json.loads((tmp_path / "counts.json").read_text()) == {"sqlite": {"corpus": 0, "tests": 2}}
    assert _count(tmp_path, two + "def test_c(): pass\n").returncode == 0
    fewer = _count(tmp_path, "def test_a(): pass\n")
    assert fewer.returncode == pytest.ExitCode.TESTS_FAILED
    assert "sqlite: 1 tests collected, at least 2 expected" in fewer.stdout


def test_a_run_without_corpus_keeps_and_does_not_compare_the_corpus_number(tmp_path: Path) -> None:
    sample = "import pytest\n@pytest.mark.corpus\ndef test_a(): pass\ndef test_b(): pass\n"
    _count(tmp_path, sample, BPM_COUNT_WRITE="1", BPM_CORPUS="/")
    without = "def test_b(): pass\n"
    assert _count(tmp_path, without).returncode == 0
    assert _count(tmp_path, without, BPM_COUNT_WRITE="1").returncode == 0
    assert json.loads((tmp_path / "counts.json").read_text()) == {"sqlite": {"corpus": 1, "tests": 1}}
    assert _count(tmp_path, without, BPM_CORPUS="/").returncode == pytest.ExitCode.TESTS_FAILED


def test_numbers_are_not_written_while_a_module_cannot_be_collected(tmp_path: Path) -> None:
    done = _count(tmp_path, "import no_such_module\ndef test_a(): pass\n", BPM_COUNT_WRITE="1")
    assert done.returncode != 0
    assert not (tmp_path / "counts.json").exists()
