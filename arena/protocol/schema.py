"""The JSON Schema of protocol 1, generated from the message and view classes."""

import ast
import inspect
from itertools import pairwise
from textwrap import dedent
from typing import Any, Final

import msgspec
from msgspec import Struct

from arena.games import trick_state
from arena.games.hat_trick import DoubleTrick, HatTrickView
from arena.games.sticheln_engine import DesignatingView
from arena.games.was_sticht import state
from arena.protocol import messages
from arena.protocol.messages import PROTOCOL_VERSION

TO_BOT: Final = ("Hello", "Start", "Decide", "Result", "Fault")
FROM_BOT: Final = ("Ready", "Choose")

TAG_FIELD: Final = "type"
"""The field that says which message it is."""

STRUCTS: Final[dict[str, type[Struct]]] = {
    **{name: getattr(messages, name) for name in TO_BOT[:-1]},
    "Fault": messages.FaultMessage,
    **{name: getattr(messages, name) for name in (*FROM_BOT, "Limits", "Clock")},
    "DesignatingView": DesignatingView,
    "DesignatingPast": trick_state.PreviousRound,
    "Trick": trick_state.Trick,
    "HatTrickView": HatTrickView,
    "HatTrickPast": trick_state.PreviousRound,
    "DoubleTrick": DoubleTrick,
    "DraftView": state.DraftView,
    "DraftPast": state.DraftPast,
    "Trumps": state.Trumps,
    "Column": state.Column,
}
"""What each definition is made from, in the order they are written."""

VIEWS: Final[dict[str, str]] = {
    "DesignatingView": r"^(sticheln|stick-em)(\+[a-z+]+)?$",
    "HatTrickView": "^hat-trick$",
    "DraftView": "^was-sticht$",
}
"""The views, each with the variants it belongs to."""

SCHEMA_NAMES: Final = {
    "FaultMessage": "Fault",
    "PreviousRound[Trick]": "DesignatingPast",
    "PreviousRound[DoubleTrick]": "HatTrickPast",
}
"""Definitions that have another name here than their class has in its module."""

DESCRIPTIONS: Final = {
    "seat": "Whose view it is: the bot's own seat.",
    "phase": "The phase of the round, which is the `kind` of the question.",
    "round": "The round, counted from 0.",
    "scores": "The points of each seat in the finished rounds.",
    "hand": "The cards in the seat's own hand.",
    "leader": "The seat that leads the trick on the table.",
    "trick": "The cards of the trick on the table in the order of play; the first is the leader's.",
    "tricks": "The finished tricks of this round, the first one first.",
    "left_over": "The cards of this round that could not be dealt evenly; absent: none.",
    "cards": "The cards in the order of play; the first is the leader's.",
    "winner": "The seat that won it; null: nobody, it is set aside.",
    "Decide.view": "What the seat may know: one of three views, by the variant.",
    "Trick.leader": "The seat that led it.",
    "DoubleTrick.leader": "The seat that led it.",
    "DoubleTrick.takers": (
        "The seat that took each card, in the order of `cards`; null for a card that was passed "
        "and stays with its owner."
    ),
    "DesignatingView": "What a seat knows in Sticheln, Stick 'Em and all their variants.",
    "DesignatingView.designated": (
        "The designating cards of each seat, null where they lie face down; absent while there "
        "are none."
    ),
    "DesignatingView.previous": (
        "The round before, until the first trick of this one is complete; absent: none."
    ),
    "DesignatingPast.tricks": "Its tricks, the first one first.",
    "DesignatingPast.points": "What each seat scored in it.",
    "DesignatingPast.designated": "The designating cards of each seat; absent if there were none.",
    "DesignatingPast.special": "The special colours of each seat.",
    "HatTrickView.left_over": "Absent: in Hat Trick all cards are dealt.",
    "HatTrickView.designated": "Absent: in Hat Trick nothing is designated.",
    "HatTrickView.previous": (
        "The round before, until the first trick of this one is complete; absent: none."
    ),
    "HatTrickPast.tricks": "Its tricks, the first one first.",
    "HatTrickPast.points": "What each seat scored in it.",
    "HatTrickPast.designated": "Absent: in Hat Trick nothing is designated.",
    "HatTrickPast.special": "Absent: in Hat Trick no colour is special.",
    "DraftView": "What a seat knows in Was sticht: everything but the trumps during the draft.",
    "DraftView.scores": "How many tokens each seat has discarded.",
    "DraftView.dealer": "The seat that deals, and knows the trumps from the start.",
    "DraftView.tokens": "The tokens each seat holds.",
    "DraftView.discarded": "The tokens each seat has discarded, the first one first.",
    "DraftView.supply": "The tokens on the table while they are taken, later none.",
    "DraftView.columns": "The layout of this round, column by column, as it was before any pick.",
    "DraftView.picks": "The columns that are completely picked, the first one first.",
    "DraftView.trumps": "The trumps of this round; null while this seat does not know them.",
    "DraftView.tasks": (
        "The task each seat has chosen, null for the dealer; empty until all have chosen."
    ),
    "DraftView.hands": "The cards in the hand of each seat, which are public.",
    "DraftView.leader": "The seat that leads the trick, or picks first from the column.",
    "DraftView.trick": "The cards of the trick in the order of play, or of the column as picked.",
    "DraftPast.trumps": "Its trumps.",
    "DraftPast.tasks": "The task each seat had chosen, null for its dealer.",
    "DraftPast.tricks": "Its tricks, the first one first.",
    "DraftPast.discards": "The token each seat discarded in it, null for none.",
    "Trumps.colour": "The trump colour; null: there is none.",
    "Trumps.number": "The trump number; null: there is none.",
    "Column.leader": "The seat that picked first.",
    "Column.cards": "Its cards in the order of picking; with three seats the last is the ghost's.",
    "Column.hint": "The seat that would have won it as a trick; with three seats 3 is the ghost.",
}
"""What definitions and fields hold, where the games' own docstrings say it to other readers."""


def protocol_schema() -> dict[str, Any]:
    """The whole schema."""
    wanted = [STRUCTS[name] for name in (*TO_BOT, *FROM_BOT, *VIEWS)]
    _, found = msgspec.json.schema_components(wanted, ref_template="#/$defs/{name}")
    names = {name: SCHEMA_NAMES.get(part["title"], name) for name, part in found.items()}
    parts = {names[name]: rename_refs(part, names) for name, part in found.items()}
    definitions = {name: describe_definition(name, parts[name]) for name in STRUCTS}
    decide = definitions["Decide"]
    decide["properties"]["view"] |= {"anyOf": [schema_ref(name) for name in VIEWS]}
    decide["allOf"] = [view_condition(name, variants) for name, variants in VIEWS.items()]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:stichkampf:protocol:{PROTOCOL_VERSION}",
        "title": f"Stichkampf protocol {PROTOCOL_VERSION}",
        "description": (
            "One line of the conversation between referee and bot. The shape stands here, the "
            "behaviour in README.md beside this file. Fields that are not listed are allowed and "
            "to be ignored. Which view a question holds goes by its variant."
        ),
        "anyOf": [schema_ref("ToBot"), schema_ref("FromBot")],
        "$defs": {
            "ToBot": {
                "description": "What the referee says.",
                "anyOf": [schema_ref(name) for name in TO_BOT],
            },
            "FromBot": {
                "description": "What a bot says.",
                "anyOf": [schema_ref(name) for name in FROM_BOT],
            },
            **definitions,
        },
    }


def schema_bytes() -> bytes:
    """The schema as it stands in its file."""
    return msgspec.json.format(msgspec.json.encode(protocol_schema()), indent=2) + b"\n"


def schema_ref(name: str) -> dict[str, str]:
    """A reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def view_condition(view: str, variants: str) -> dict[str, Any]:
    """That a question about these variants holds this view."""
    return {
        "if": {"properties": {"variant": {"pattern": variants}}},
        "then": {"properties": {"view": schema_ref(view)}},
    }


def rename_refs(part: Any, names: dict[str, str]) -> Any:
    """A part of the schema whose references go by our names."""
    if isinstance(part, list):
        return [rename_refs(item, names) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return schema_ref(names[part["$ref"].rpartition("/")[2]])
    return {key: rename_refs(value, names) for key, value in part.items()}


def describe_definition(name: str, part: dict[str, Any]) -> dict[str, Any]:
    """A definition with a title, its fields explained, and required whatever is always written."""
    struct = STRUCTS[name]
    texts = DESCRIPTIONS | field_docs(struct)
    fields = part["properties"]
    always = not struct.__struct_config__.omit_defaults
    for key, field in fields.items():
        if key != TAG_FIELD:
            field["description"] = DESCRIPTIONS.get(f"{name}.{key}") or texts[key]
        if always:
            field.pop("default", None)
    if always:
        part["required"] = list(fields)
    text = DESCRIPTIONS.get(name) or one_line(part["description"])
    return part | {"title": name, "description": text}


def field_docs(struct: type[Struct]) -> dict[str, str]:
    """What is written under the fields of a class and of those it is made from."""
    found: dict[str, str] = {}
    for kind in reversed(struct.__mro__):
        if not kind.__module__.startswith("arena."):
            continue
        (source,) = ast.parse(dedent(inspect.getsource(kind))).body
        for pair in pairwise(getattr(source, "body", ())):
            match pair:
                case (
                    ast.AnnAssign(target=ast.Name(id=field)),
                    ast.Expr(value=ast.Constant(value=str(text))),
                ):
                    found[field] = one_line(text)
    return found


def one_line(text: str) -> str:
    """A docstring on one line, in the words of JSON."""
    return " ".join(text.split()).replace("None", "null")
