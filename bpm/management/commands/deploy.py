"""Deploying files from the command line."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bpm import engine
from bpm.core.errors import DefinitionInvalid


class Command(BaseCommand):
    help = "Deploy BPMN files, all of them or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="BPMN files, one deployment")
        parser.add_argument("--name", default="", help="of the deployment")
        parser.add_argument("--tenant", default="", help="default: the default tenant")
        parser.add_argument("--new-version", action="store_true", help="also where the content is unchanged")
        parser.add_argument(
            "--force-executable", action="store_true", help='also processes without isExecutable="true"'
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            resources = [(path.name, path.read_bytes()) for path in options["files"]]
        except OSError as error:
            raise CommandError(str(error)) from None
        try:
            answer = engine.deploy(
                resources,
                name=options["name"],
                tenant=options["tenant"],
                actor="command line",
                duplicate_filtering=not options["new_version"],
                force_executable=options["force_executable"],
            )
        except DefinitionInvalid as refusal:
            raise CommandError("\n".join(_line(problem) for problem in refusal.problems)) from None
        except engine.EngineError as refusal:
            raise CommandError(str(refusal)) from None
        for one in answer["definitions"]:
            state = "deployed" if one["new"] else "unchanged"
            self.stdout.write(f"{one['key']} version {one['version']} {state} ({one['resource']})")
        for warning in answer["warnings"]:
            place = f"{warning['resource']}:{warning['line']} {warning['element']}"
            self.stderr.write(f"{place}: {warning['message']} [{warning['rule']}]")


def _line(problem: Any) -> str:
    return f"{problem.resource}:{problem.line} {problem.element}: {problem.message} [{problem.rule}]"
