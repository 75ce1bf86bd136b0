"""The SDK needs neither Django nor the rest of the engine, and its reference names all of it."""

from __future__ import annotations

import ast
import dataclasses
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bpm.worker
from bpm.worker import WorkerConfig
from bpm.worker.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference" / "worker-sdk.md"
PAGES = [REFERENCE, ROOT / "docs" / "how-to" / "write-a-worker.md"]

FOREIGN = """
import sys, bpm.worker.__main__, bpm.worker.examples.payment
loaded = [name for name in sys.modules if name == "django" or name.startswith(("django.", "bpm."))]
print(*sorted(name for name in loaded if name != "bpm.worker" and not name.startswith("bpm.worker.")))
"""


def test_it_imports_neither_django_nor_the_engine() -> None:
    found = subprocess.run(
        [sys.executable, "-c", FOREIGN], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == []


def test_the_public_names_are_sorted_and_there() -> None:
    assert bpm.worker.__all__ == sorted(bpm.worker.__all__)
    assert all(hasattr(bpm.worker, name) for name in bpm.worker.__all__)


@pytest.mark.parametrize("name", bpm.worker.__all__)
def test_the_reference_names_what_is_public(name: str) -> None:
    assert re.search(rf"`{name}\b", REFERENCE.read_text())


@pytest.mark.parametrize("field", dataclasses.fields(WorkerConfig), ids=lambda field: field.name)
def test_the_reference_names_each_setting_with_its_default(field: dataclasses.Field[object]) -> None:
    [row] = re.findall(rf"^\| `{field.name}` \| ([^|]*) \|", REFERENCE.read_text(), re.MULTILINE)
    if field.default is not dataclasses.MISSING:
        assert row == ("none" if field.default is None else f"{field.default:,}")


def test_the_reference_names_each_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert options <= set(re.findall(r"--[a-z-]+", REFERENCE.read_text()))


def code_blocks() -> list[tuple[Path, str]]:
    found = ((page, re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)) for page in PAGES)
    return [(page, block) for page, blocks in found for block in blocks]


@pytest.mark.parametrize(("page", "block"), code_blocks(), ids=lambda value: getattr(value, "stem", "block"))
def test_code_in_the_pages_is_python_and_imports_what_exists(page: Path, block: str) -> None:
    for node in ast.walk(ast.parse(block)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bpm.worker"):
            assert {alias.name for alias in node.names} <= set(bpm.worker.__all__)
