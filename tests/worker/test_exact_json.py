from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpm.worker import NotJson, decode_json, encode_json
from tests.worker.deep import nested_list

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))
NUMBERS = st.integers() | st.decimals(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(VALUES)
def test_what_is_written_is_read_back_equal(value: object) -> None:
    assert decode_json(encode_json(value)) == value


@pytest.mark.parametrize(
    "number", [2**53 + 1, -(2**63), 10**4_299 + 7, 3**20_000, -(7**30_000)], ids=int.bit_length
)
def test_integers_keep_every_digit(number: int) -> None:
    read = decode_json(encode_json({"n": [number]}))
    assert read == {"n": [number]}


@pytest.mark.parametrize("text", ["0.1", "1.10", "1E+400", "0E-10", "5.0", "123456789012345678901.5"])
def test_fractions_are_decimals_with_their_digits(text: str) -> None:
    read = decode_json(text.encode())
    assert isinstance(read, Decimal)
    assert encode_json(read).decode() == text


def test_a_finite_float_may_be_sent() -> None:
    assert encode_json(0.1) == b"0.1"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "variables.a[1].b: nan is not a JSON number"),
        (float("-inf"), "variables.a[1].b: -inf is not a JSON number"),
        (Decimal("NaN"), "variables.a[1].b: NaN is not a JSON number"),
        ({1, 2}, "variables.a[1].b: set is not a JSON value"),
        (b"x", "variables.a[1].b: bytes is not a JSON value"),
        ({3: 4}, "variables.a[1].b: key 3 is not text"),
        ("a\x00b", "variables.a[1].b: text must not contain NUL (U+0000)"),
        ("\ud800", "variables.a[1].b: text must not contain a lone surrogate"),
    ],
)
def test_what_json_cannot_hold_is_named_with_its_path(value: object, message: str) -> None:
    with pytest.raises(NotJson) as caught:
        encode_json({"a": [0, {"b": value}]}, "variables")
    assert str(caught.value) == message


def test_bottomless_nesting_is_refused() -> None:
    with pytest.raises(NotJson, match=r"^variables: is nested too deep$"):
        encode_json(nested_list(100_000), "variables")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"NaN",
        b"-Infinity",
        b'{"a":1,"a":2}',
        b"\xff",
        b"[" * 100_000,
        b"'x'",
        b"1 2",
        b"1E99999999999999999999",
    ],
    ids=["empty", "cut", "nan", "infinity", "double key", "not utf-8", "deep", "quotes", "two", "exponent"],
)
def test_what_is_not_json_is_not_read(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        decode_json(data)
