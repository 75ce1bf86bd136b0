"""Pages of the shop."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse

from tests.second_project.shop.checkout import place_order


class CardRefused(Exception):
    """The customer cannot pay."""


def place(request: HttpRequest, number: str) -> HttpResponse:
    """Place an order; with `?card=refused` the request fails after the process was started."""
    order = place_order(number)
    if request.GET.get("card") == "refused":
        raise CardRefused(number)
    return HttpResponse(str(order.instance))
