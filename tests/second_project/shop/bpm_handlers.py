"""What the engine lets this project's Python do; it imports this module by its name."""

from __future__ import annotations

from bpm import handlers
from tests.second_project.shop.models import Order


@handlers.service("shop.confirm")
def confirm(work: handlers.Work) -> dict[str, object]:
    """Note that the order is confirmed; doing it twice changes nothing."""
    number = str(work.variables["number"])
    Order.objects.filter(number=number).update(confirmed=True)
    return {"confirmed_by": "shop"}
