"""Parameters are read exactly as they are described, and whatever else is said is refused."""

from typing import Annotated

import pytest
from msgspec import UNSET, Meta, Struct, UnsetType

from arena.web.api.parameters import NoQuery, parse_query
from arena.web.api_errors import ApiError


class Asked(Struct, frozen=True):
    id: Annotated[str, Meta(pattern="^[a-z]{1,5}$", max_length=5)]
    seats: Annotated[int, Meta(ge=2, le=10)] | UnsetType = UNSET
    fault: bool = False
    message: Annotated[str, Meta(max_length=8)] = ""


def test_valid_parameters() -> None:
    given = [("id", "ann"), ("seats", "4"), ("fault", "true"), ("message", "äö <b>")]
    assert parse_query(Asked, given) == Asked("ann", 4, fault=True, message="äö <b>")
    assert parse_query(Asked, [("id", "ann")]) == Asked("ann")
    assert parse_query(NoQuery, []) == NoQuery()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("seats", text) for text in ("", "1", "11", "4.0", "+4", " 4", "04", "4e0", "null", "٤")),
        *(("seats", text) for text in ("1" * 5000, "-4", "four", "0x4", "4\n")),
        *(("fault", text) for text in ("", "1", "0", "yes", "True", "null", "FALSE")),
        *(("id", text) for text in ("", "ANN", "ann\n", "abcdef", "a b", "a\0")),
        *(("message", text) for text in ("123456789", "a\nb", "a\r\nb", "\x1b[31m", "a\u202eb")),
    ],
)
def test_values_of_the_wrong_type(name: str, text: str) -> None:
    given = {"id": "ann", name: text}
    with pytest.raises(ApiError) as caught:
        parse_query(Asked, given.items())
    assert caught.value.status == 422
    assert caught.value.sentence.startswith(f"the parameter {name} takes ")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ([], "the parameter id is missing; give it"),
        ([("id", "a"), ("id", "b")], "the parameter id is given twice; give it once"),
        (
            [("id", "a"), ("x\n\x1b", "1")],
            "there is no parameter x␊␛; there are id, seats, fault and message",
        ),
    ],
)
def test_missing_or_unknown_parameters(given: list[tuple[str, str]], sentence: str) -> None:
    with pytest.raises(ApiError) as caught:
        parse_query(Asked, given)
    assert (caught.value.status, caught.value.sentence) == (422, sentence)


def test_no_parameters() -> None:
    with pytest.raises(ApiError, match="there is no parameter x; there are none"):
        parse_query(NoQuery, [("x", "1")])
