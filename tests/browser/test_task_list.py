"""People at the task list, in a real browser: by mouse, by keyboard alone, on a phone."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import Group, Permission, User
from playwright.sync_api import Page, expect

from bpm import engine
from bpm.models import ProcessInstance, UserTask
from tests.browser.people_windows import Windows
from tests.tasklist.definitions import INVOICE, INVOICE_FORM, ORDER


@pytest.fixture
def people(transactional_db: None) -> None:
    """Ann, who checks orders and starts them, and Bob, who ships."""
    for name, groups in (("ann", ()), ("bob", ("shippers",))):
        user = User.objects.create_user(name, password="-")
        found = Permission.objects.filter(content_type__app_label="bpm", codename__in=("complete", "start"))
        user.user_permissions.set(found)
        for group in groups:
            user.groups.add(Group.objects.get_or_create(name=group)[0])
    engine.deploy([("order.bpmn", ORDER), ("invoice.bpmn", INVOICE), ("invoice.form", INVOICE_FORM)])


def _fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def test_two_people_bring_an_order_to_its_end(windows: Windows, people: None) -> None:
    bob = windows.log_in("bob", "/tasks/?list=groups")
    expect(bob.get_by_text("Nothing to take")).to_be_visible()
    ann = windows.log_in("ann", "/tasks/start/")
    ann.get_by_role("link", name="order").click()
    ann.get_by_role("button", name="Start").click()
    expect(ann.get_by_role("alert")).to_contain_text("Order number")
    ann.get_by_label("Order number").fill("O-1")
    ann.get_by_role("button", name="Start").click()
    expect(ann.get_by_role("heading", name="order was started")).to_be_visible()
    ann.get_by_role("link", name="Check order").first.click()
    ann.get_by_label("Amount").fill("12")
    ann.get_by_label("Day").fill("2026-12-31")
    ann.get_by_label("First").check()
    ann.get_by_label("Write a comment").fill("Please hurry <b>up</b>.")
    ann.get_by_role("button", name="Add comment").click()
    expect(ann.get_by_text("Please hurry <b>up</b>.")).to_be_visible()
    expect(ann.get_by_label("Amount")).to_have_value("12")
    ann.get_by_role("button", name="Complete").click()
    expect(ann.get_by_role("heading", name="“Check order” is done")).to_be_visible()
    expect(ann.get_by_text("waits for a person")).to_be_visible()
    # Bob's list shows the new task without his doing anything.
    bob.get_by_role("link", name="Ship order").click()
    bob.get_by_role("button", name="Complete").click()
    expect(bob.get_by_text("The process has come to its end.")).to_be_visible()
    assert ProcessInstance.objects.get().status == "COMPLETED"


def _tab_to(page: Page, role: str, name: str) -> None:
    """Go on with the tab key until something is focused; fail after a round."""
    wanted = page.get_by_role(role, name=re.compile(name)).first  # type: ignore[arg-type]
    for _ in range(60):
        page.keyboard.press("Tab")
        if wanted.evaluate("node => node === document.activeElement"):
            shown = "getComputedStyle(document.activeElement).outlineStyle !== 'none'"
            behind = "getComputedStyle(document.activeElement, '::after').outlineStyle !== 'none'"
            assert page.evaluate(f"{shown} || {behind}"), f"the focus on {name} is not to be seen"
            return
    raise AssertionError(f"the tab key does not lead to {role} {name}")


def test_the_task_list_is_used_by_keyboard_alone(windows: Windows, people: None) -> None:
    page = windows.open("/accounts/login/?next=/tasks/start/")
    _tab_to(page, "textbox", "Username")
    page.keyboard.type("ann")
    page.keyboard.press("Tab")
    page.keyboard.type("-")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tasks/start/")
    _tab_to(page, "link", "^order")
    page.keyboard.press("Enter")
    page.wait_for_url("**/start/order/")
    _tab_to(page, "textbox", "Order number")
    page.keyboard.type("K-1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="order was started")).to_be_visible()
    _tab_to(page, "link", "Check order")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Amount")).to_be_visible()
    _tab_to(page, "textbox", "Amount")
    page.keyboard.type("many")
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert")
    expect(alert).to_be_focused()
    _tab_to(page, "link", "Amount")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Amount")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("3")
    _tab_to(page, "button", "^Take it")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Give it back")).to_be_visible()
    expect(page.get_by_label("Amount")).to_have_value("3")
    _tab_to(page, "button", "^Complete")
    page.keyboard.press("Space")
    expect(page.get_by_role("heading", name="“Check order” is done")).to_be_visible()
    _tab_to(page, "link", "To my tasks")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing to do")).to_be_visible()


def test_what_is_typed_outlives_a_reload_and_goes_with_the_log_out(windows: Windows, people: None) -> None:
    engine.start("order", variables={"wish": "x", "number": 1})
    task = UserTask.objects.get().id
    page = windows.log_in("ann", f"/tasks/{task}/")
    page.get_by_label("Amount").fill("77")
    page.get_by_label("First").check()
    page.get_by_label("Paid").uncheck()
    page.reload()
    expect(page.get_by_label("Amount")).to_have_value("77")
    expect(page.get_by_label("First")).to_be_checked()
    expect(page.get_by_label("Paid")).not_to_be_checked()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/login/**")
    assert page.evaluate("Object.keys(window.sessionStorage).filter(key => key.startsWith('draft:'))") == []


def test_fields_come_and_go_with_what_is_chosen(windows: Windows, people: None) -> None:
    engine.start("invoice")
    page = windows.log_in("ann", "/tasks/")
    page.get_by_role("link", name="Decide").click()
    expect(page.get_by_label("Why not")).to_have_count(0)
    page.get_by_label("Code").fill("ABC")
    page.get_by_label("No", exact=True).check()
    expect(page.get_by_label("Why not")).to_be_visible()
    expect(page.get_by_label("Code")).to_have_value("ABC")
    page.get_by_label("Yes", exact=True).check()
    expect(page.get_by_label("Why not")).to_have_count(0)


def test_a_new_task_is_told_without_a_reload(windows: Windows, people: None) -> None:
    page = windows.log_in("ann", "/tasks/")
    expect(page.get_by_text("Nothing to do")).to_be_visible()
    engine.start("order", variables={"wish": "x", "number": 1})
    expect(page.get_by_text("1 new task for you.")).to_be_visible()


def test_the_language_is_changed(windows: Windows, people: None) -> None:
    page = windows.log_in("ann", "/tasks/")
    page.get_by_label("Language").select_option("zh-hans")
    page.get_by_role("button", name="Change").last.click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-hans")
    expect(page.get_by_role("heading", name="任务")).to_be_visible()


def test_everything_fits_on_a_phone(windows: Windows, people: None) -> None:
    engine.start(
        "order", business_key="a-very-long-business-key-" * 4, variables={"wish": "x" * 400, "number": 1}
    )
    task = UserTask.objects.get().id
    engine.comment_task(str(task), message="w" * 300, actor="bob")
    page = windows.log_in("ann", "/tasks/?list=groups", width=390, height=844, has_touch=True)
    for path in (
        "/tasks/?list=groups",
        "/tasks/?list=all",
        f"/tasks/{task}/",
        "/tasks/start/",
        "/tasks/start/order/",
    ):
        page.goto(path)
        assert _fits(page), path
