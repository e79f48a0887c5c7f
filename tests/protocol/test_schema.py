"""The schema is what the file holds, and says what the referee and bots really say."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from msgspec import ValidationError

from arena.games.catalog import VARIANTS
from arena.games.replay import play_steps
from arena.protocol.messages import Choose, Decide, FromBot, Ready, ToBot
from arena.protocol.schema import (
    FROM_BOT,
    SCHEMA_NAMES,
    STRUCTS,
    TAG_FIELD,
    TO_BOT,
    VIEWS,
    protocol_schema,
    schema_bytes,
)

ROOT = Path(__file__).parent.parent.parent
SCHEMA = protocol_schema()
MESSAGE = Draft202012Validator(SCHEMA)


def definition(name: str, *, closed: bool = False) -> Draft202012Validator:
    """A validator of one definition; a closed one allows no field that is not listed."""
    definitions: dict[str, dict[str, Any]] = json.loads(schema_bytes())["$defs"]
    if closed:
        for part in definitions.values():
            if "properties" in part:
                part["additionalProperties"] = False
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": definitions})


CLOSED_VIEWS = {name: definition(name, closed=True) for name in VIEWS}


def test_the_schema_is_valid() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == "urn:stichkampf:protocol:1"


def test_the_file_is_up_to_date() -> None:
    assert (ROOT / "protocol" / "schema.json").read_bytes() == schema_bytes()


def test_the_schema_has_every_message() -> None:
    assert {SCHEMA_NAMES.get(kind.__name__, kind.__name__) for kind in ToBot.__args__} == set(
        TO_BOT
    )
    assert {kind.__name__ for kind in FromBot.__args__} == set(FROM_BOT)


@pytest.mark.parametrize("name", STRUCTS)
def test_every_field_is_described(name: str) -> None:
    part = SCHEMA["$defs"][name]
    fields = set(part["properties"]) - {TAG_FIELD}
    assert fields == set(STRUCTS[name].__struct_encode_fields__)
    for field in fields:
        text = part["properties"][field]["description"]
        assert text.endswith("."), f"{name}.{field}"
        assert "None" not in text
    assert part["title"] == name
    assert not set(SCHEMA_NAMES) & {part["title"]} or name in SCHEMA_NAMES.values()


def test_additional_properties_are_allowed() -> None:
    assert b"additionalProperties" not in schema_bytes()


def questions(name: str, seats: int) -> list[dict[str, Any]]:
    """Every question of a game, as it is sent."""
    game = VARIANTS[name].game(seats)

    def choose(state: Any, decisions: Any) -> list[str]:
        for asked in decisions:
            view = game.view(state, asked.seat)
            found.append(Decide(1, 1, name, asked.kind, asked.options, view, None))
        return [asked.options[len(found) % len(asked.options)] for asked in decisions]

    found: list[Decide] = []
    for _ in play_steps(game, 1, choose):
        pass
    asked: list[dict[str, Any]] = json.loads(msgspec.json.encode(found))
    return asked


def sample(found: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One question of every kind in every round, and now and then one more."""
    known = set()
    for number, question in enumerate(found):
        place = question["kind"], question["view"]["round"]
        if place not in known or number % 29 == 0:
            known.add(place)
            yield question


def view_of(name: str) -> str:
    """The definition of a variant's views."""
    (found,) = (view for view, pattern in VIEWS.items() if re.search(pattern, name))
    return str(found)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_one_view(name: str) -> None:
    """A few questions of each variant, and the view they hold is of the right class."""
    game = VARIANTS[name].game(VARIANTS[name].seats[0])
    assert game.view(game.start(lambda _, items: items), 0).__class__ is STRUCTS[view_of(name)]


TABLES = [
    ("sticheln", 7),
    ("sticheln+aggravated+hazy", 3),
    ("stick-em+aggravated+delayed", 3),
    ("hat-trick", 4),
    ("was-sticht", 3),
    ("was-sticht", 4),
]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_views(name: str, seats: int) -> None:
    """Every view is of the right shape; and of no other, where there is something to see it by."""
    right = view_of(name)
    refused = dict.fromkeys(VIEWS, 0)
    for question in sample(questions(name, seats)):
        view = question["view"]
        assert CLOSED_VIEWS[right].is_valid(view), view
        assert question["kind"] == view["phase"]
        for wrong in set(VIEWS) - {right}:
            fits = CLOSED_VIEWS[wrong].is_valid(view)
            refused[wrong] += not fits
            if "DraftView" in (right, wrong) or view["tricks"] or view.get("previous"):
                assert not fits, view
    assert all(refused[wrong] for wrong in set(VIEWS) - {right})


@pytest.mark.parametrize(("name", "other"), [("hat-trick", "sticheln"), ("sticheln", "hat-trick")])
def test_a_question_with_the_view_of_another_variant(name: str, other: str) -> None:
    """Which view it has to be goes by the variant."""
    question = next(q for q in questions(name, 4) if q["view"]["tricks"])
    assert MESSAGE.is_valid(question)
    assert not MESSAGE.is_valid(question | {"variant": other})
    assert not MESSAGE.is_valid(question | {"variant": "was-sticht"})


@pytest.mark.parametrize(
    ("message", "good"),
    [
        ({"type": "ready"}, True),
        ({"type": "ready", "games": 0}, False),
        ({"type": "ready", "variants": None}, True),
        ({"type": "ready", "name": None}, False),
        ({"type": "choose", "id": 1, "choice": "R7"}, True),
        ({"type": "choose", "id": 1, "choice": "R7", "later": [1]}, True),
        ({"type": "choose", "id": -1, "choice": "R7"}, False),
        ({"type": "choose", "id": 2**53, "choice": "R7"}, False),
        ({"type": "choose", "id": "1", "choice": "R7"}, False),
        ({"type": "choose", "id": 1, "choice": ["R7"]}, False),
        ({"type": "choose", "choice": "R7"}, False),
        ({"id": 1, "choice": "R7"}, False),
        ({"type": "chose", "id": 1, "choice": "R7"}, False),
        ({"type": "result", "game": 1, "scores": [1], "ranks": [0]}, False),
        ([], False),
    ],
)
def test_messages(message: Any, good: bool) -> None:
    assert MESSAGE.is_valid(message) == good


FROM_BOT_ONLY = definition("FromBot")
VALUES = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.text())


@given(
    st.dictionaries(
        st.sampled_from(["name", "version", "games", "variants", "id", "choice", "note", "x"]),
        VALUES,
    ),
    st.sampled_from(["ready", "choose", "weather"]),
)
def test_the_program_and_the_schema_agree_on_what_a_bot_may_say(
    fields: dict[str, Any], kind: str
) -> None:
    message = {"type": kind, **fields}
    try:
        msgspec.convert(message, Ready | Choose)
    except ValidationError:
        assert not FROM_BOT_ONLY.is_valid(message)
    else:
        assert FROM_BOT_ONLY.is_valid(message)
