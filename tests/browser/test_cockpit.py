"""An operator looks at running instances in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, Locator, expect
from pytest_django.live_server_helper import LiveServer

from bpm import engine
from bpm.models import Definition
from bpm.queries.replay import last_sequence, replay_at
from tests.browser.window import PATIENCE_MS, Window
from tests.cockpit.conftest import complete, start
from tests.cockpit.processes import LATE, ORDER, ORDER_2
from tests.support.bpmn_text import bpmn, flows

WIDE = bpmn(
    '<startEvent id="start"/><userTask id="sign"><multiInstanceLoopCharacteristics>'
    "<loopCardinality>150</loopCardinality></multiInstanceLoopCharacteristics></userTask>"
    '<endEvent id="end"/>',
    flows("start sign", "sign end"),
    key="wide",
)


@pytest.fixture
def window_of(
    chromium: Browser, live_server: LiveServer, transactional_db: None
) -> Iterator[Callable[..., Window]]:
    """Open windows of a user; nothing in them may have gone wrong when the test ends."""
    opened: list[Window] = []

    def open_window(user: User, *, width: int = 1_400, dark: bool = False) -> Window:
        client = Client()
        client.force_login(user)
        session = client.cookies["sessionid"].value
        opened.append(Window(chromium, live_server.url, session, width=width, dark=dark))
        return opened[-1]

    yield open_window
    assert [complaint for window in opened for complaint in window.close()] == []


@pytest.fixture
def operator(transactional_db: None) -> User:
    """Somebody who may see everything."""
    return User.objects.create_superuser("olga", password="-")


@pytest.fixture
def window(window_of: Callable[..., Window], operator: User) -> Window:
    """A window of an operator."""
    return window_of(operator)


@pytest.fixture
def deployed(transactional_db: None) -> None:
    engine.deploy([("order.bpmn", ORDER)], actor="ada")
    engine.deploy([("order.bpmn", ORDER_2), ("late.bpmn", LATE), ("wide.bpmn", WIDE)], actor="ada")


def pay(instance: str) -> None:
    (task,) = engine.fetch_and_lock("w1", topics=["payment"], max_tasks=1, lock_ms=60_000)
    engine.complete_external_task(task["task_id"], worker="w1", variables={"receipt": "R-1"})


def address(name: str, *arguments: object) -> str:
    return reverse(f"cockpit:{name}", args=arguments)


def test_tokens_move_a_join_fills_and_the_instance_ends_without_reloading(
    window: Window, deployed: None
) -> None:
    instance = start(customer="Grace")
    page = window.open(address("instance", instance))
    diagram = window.diagram()

    def at(node: str) -> Locator:
        return diagram.locator(f'.djs-overlays[data-container-id="{node}"] .token')

    expect(at("check")).to_have_text("◷ 1")
    expect(at("join")).to_have_count(0)
    window.evaluate("document.body.dataset.same = 'yes'")
    complete(instance, "check")
    expect(at("join")).to_have_text("◷ 1", timeout=PATIENCE_MS)
    expect(at("check")).to_have_count(0)
    expect(page.get_by_text("1 of 2 arrived")).to_be_visible(timeout=PATIENCE_MS)
    expect(diagram.locator('.taken[data-element-id="check_join"]')).to_have_count(1)
    pay(instance)
    expect(at("sign")).to_have_text("◷ 1", timeout=PATIENCE_MS)
    complete(instance, "sign")
    expect(page.locator("#facts").get_by_text("Completed")).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text("The instance has run to its end.")).to_be_visible(timeout=PATIENCE_MS)
    expect(diagram.locator(".djs-overlays .token")).to_have_count(0)
    assert window.evaluate("document.body.dataset.same") == "yes"


def test_replay_moves_tokens_and_changes_variables(window: Window, deployed: None) -> None:
    instance = start(customer="Grace")
    complete(instance, "check", result="good")
    page = window.open(address("replay", instance))
    window.diagram()
    slider, moment = page.locator("#cursor"), page.locator("#snapshot")
    expect(moment).to_contain_text("result", timeout=PATIENCE_MS)
    slider.focus()
    page.keyboard.press("Home")
    expect(moment.get_by_role("heading", name="After event 0", exact=True)).to_be_visible(timeout=PATIENCE_MS)
    expect(moment).not_to_contain_text("Grace")
    expect(page.locator(".token:visible").filter(has_text="1")).to_have_count(0)
    for _ in range(3):
        page.get_by_role("button", name="One event on").click()
    expect(page.locator("#replay-say")).to_contain_text("#3 ")
    page.get_by_role("button", name="To the end").click()
    expect(moment).to_contain_text("good", timeout=PATIENCE_MS)
    assert page.url.endswith(f"#{last_sequence(instance, tenant='')}")


def test_replay_jumps_to_an_incident(window: Window, deployed: None) -> None:
    instance = start()
    (task,) = engine.fetch_and_lock("w1", topics=["payment"], max_tasks=1, lock_ms=60_000)
    engine.fail_external_task(task["task_id"], worker="w1", error="declined", retries=0)
    complete(instance, "check")
    page = window.open(address("replay", instance))
    window.diagram()
    page.get_by_role("button", name="Next incident").click()
    expect(page.locator("#replay-say")).to_contain_text("IncidentOpened")
    expect(page.locator("#snapshot")).to_contain_text("IncidentOpened", timeout=PATIENCE_MS)
    expect(page.locator('.djs-overlays[data-container-id="pay"] .token.bad')).to_have_text("! 1")


def test_the_browser_folds_tokens_as_the_engine_does(window: Window, deployed: None) -> None:
    instance = start()
    complete(instance, "check")
    engine.suspend(instance)
    engine.activate(instance)
    pay(instance)
    complete(instance, "sign")
    window.open(address("replay", instance))
    window.diagram()
    last = last_sequence(instance, tenant="")
    expect(window.page.locator("#cursor")).to_have_attribute("max", str(last), timeout=PATIENCE_MS)
    told = window.evaluate(
        "Array.from({length: Cockpit.feed.last + 1}, (_, n) => "
        "[...Cockpit.tokens.to(n).live].map(([id, token]) => `${id} ${token.node} ${token.status}`).sort())"
    )
    for sequence in range(last + 1):
        state = replay_at(instance, sequence, tenant="")
        assert told[sequence] == sorted(f"{one['id']} {one['node']} {one['status']}" for one in state.tokens)


def test_the_time_line_of_many_tokens_is_used_with_the_keyboard(window: Window, deployed: None) -> None:
    instance = str(engine.start("wide")["instance_id"])
    page = window.open(address("timeline", instance))
    expect(page.locator("#timeline-count")).to_have_text("301 tokens", timeout=PATIENCE_MS)
    lanes = page.get_by_role("application")
    lanes.focus()
    page.keyboard.press("End")
    expect(page.locator("#timeline-detail")).to_contain_text("301 / 301")
    for key in ("ArrowUp", "+", "+", "ArrowRight", "-", "0"):
        page.keyboard.press(key)
    expect(page.locator("#timeline-detail")).to_contain_text("300 / 301")
    assert window.evaluate("document.querySelector('.timeline-view').scrollTop") > 0
    assert window.evaluate("document.querySelector('.timeline-view canvas').height") <= 1_200


def test_a_definition_shows_where_tokens_are_and_colours_by_heat(window: Window, deployed: None) -> None:
    for _ in range(2):
        start()
    definition = Definition.objects.get(key="order", version=2)
    page = window.open(address("definition", definition.id))
    diagram = window.diagram("definition-diagram")
    expect(diagram.locator('.djs-overlays[data-container-id="check"] .token')).to_have_text(
        "◷ 2", timeout=PATIENCE_MS
    )
    page.get_by_label("Colours").select_option("passes")
    expect(diagram.locator(".note.heat").first).to_have_text("2", timeout=PATIENCE_MS)
    page.get_by_role("link", name="Compare").click()
    for number in (0, 1):
        window.diagram(f"diagram-{number}")
    expect(page.locator('.added[data-element-id="sign"]')).to_have_count(1)


@pytest.mark.parametrize("width", [1_400, 390])
@pytest.mark.parametrize("dark", [False, True])
def test_every_page_fits_its_width_without_complaints(
    window_of: Callable[..., Window], operator: User, deployed: None, width: int, dark: bool
) -> None:
    instance = start(text="x" * 400, note="ä" * 50)
    complete(instance, "check")
    definition = Definition.objects.get(key="order", version=2).id
    older = Definition.objects.get(key="order", version=1).id
    tabs = ("instance", "timeline", "replay", "history", "variables", "work")
    paths = [address(name) for name in ("overview", "instances", "incidents", "definitions")]
    paths += [address(name, instance) for name in tabs]
    paths += [address("definition", definition), f"{address('compare')}?left={older}&right={definition}"]
    window = window_of(operator, width=width, dark=dark)
    for path in paths:
        page = window.open(path)
        if page.locator(".diagram").count():
            expect(page.locator(".diagram[data-ready=yes]").first).to_be_visible(timeout=PATIENCE_MS)
        wide = window.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, f"{path} is {wide} pixels wide"
        unnamed = window.evaluate(
            "[...document.querySelectorAll('main button, main a, main input:not([type=hidden]), main select')]"
            ".filter(e => !(e.textContent.trim() || e.ariaLabel || e.labels?.length || e.title)).map(e => e.outerHTML)"
        )
        assert unnamed == [], path


def test_a_missing_page_says_so_in_words(window: Window) -> None:
    window.expected.append("nowhere")
    page = window.open("/cockpit/instances/nowhere/")
    expect(page.get_by_role("heading", name="There is nothing here")).to_be_visible()
