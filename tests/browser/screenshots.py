"""Makes the pictures of the documentation: `make screenshots`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PASSWORD = "pictures"
_PAGES = {
    "overview": "/cockpit/",
    "instance": "/cockpit/instances/?business_key=O-1",
    "replay": "/cockpit/instances/?business_key=O-2",
    "tasks": "/tasks/?list=all",
    "task": "/tasks/?list=all",
}


def main() -> int:
    """Serve a fresh database with a few instances, and photograph pages of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    with tempfile.TemporaryDirectory() as var:
        os.environ |= {"BPM_DEMO": "1", "BPM_VAR_DIR": var, "DJANGO_SETTINGS_MODULE": "bpm.project.settings"}
        import django

        django.setup()
        from tests.support.running_demo import free_port

        _fill()
        port = free_port()
        command = [sys.executable, "manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
            try:
                _photograph(f"http://127.0.0.1:{port}", folder)
            finally:
                server.terminate()
    return 0


def _fill() -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    from bpm import engine
    from bpm.management.demo.preparation import deploy_examples
    from bpm.models import UserTask

    call_command("migrate", verbosity=0)
    deploy_examples()
    User.objects.create_superuser("olga", password=PASSWORD)
    for number in range(1, 6):
        engine.start(
            "order-process", business_key=f"O-{number}", variables={"amount": 4200 + number}, actor="shop"
        )
    tasks = engine.fetch_and_lock("payer", topics=["payment"], max_tasks=3, lock_ms=600_000, actor="payer")
    engine.complete_external_task(
        tasks[0]["task_id"], worker="payer", variables={"receipt": "R-1"}, actor="payer"
    )
    engine.fail_external_task(
        tasks[1]["task_id"], worker="payer", error="Card declined", retries=0, actor="payer"
    )
    task = UserTask.objects.filter(instance=tasks[2]["instance_id"]).get()
    engine.complete_task(str(task.id), actor="ada")


def _photograph(url: str, folder: Path) -> None:
    from playwright.sync_api import expect

    from tests.browser.chromium import launched

    folder.mkdir(parents=True, exist_ok=True)
    with launched() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.set_default_timeout(60_000)
        _wait_for(url)
        page.goto(f"{url}/accounts/login/")
        page.locator("[name=username]").fill("olga")
        page.locator("[name=password]").fill(PASSWORD)
        page.locator("main button[type=submit]").click()
        page.wait_for_url(f"{url}/**")
        for name, path in _PAGES.items():
            page.goto(url + path)
            if name in ("instance", "replay"):
                page.locator("tbody a.mono").first.click()
                expect(page.locator(".diagram[data-ready=yes] .djs-overlays .token").first).to_be_visible()
            if name == "replay":
                page.get_by_role("link", name="Replay").click()
                page.get_by_role("button", name="Next incident").click()
                expect(page.locator("#moment-payload")).to_be_visible()
                page.locator("#replay").scroll_into_view_if_needed()
            if name == "task":
                page.locator(".task .name").first.click()
                expect(page.locator("#work")).to_be_visible()
            page.screenshot(path=folder / f"{name}.png")


def _wait_for(url: str) -> None:
    import httpx

    with httpx.Client(transport=httpx.HTTPTransport(retries=20), trust_env=False) as client:
        client.get(f"{url}/accounts/login/").raise_for_status()


if __name__ == "__main__":
    raise SystemExit(main())
