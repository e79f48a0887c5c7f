"""Every key is explained in the page, with its default."""

import re
from pathlib import Path

import pytest
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields

from arena.tournaments.config.keys import KEY_HELP, NESTED_KEYS, TournamentKeys
from arena.tournaments.config.yaml_file import key_names

PAGE = (Path(__file__).parents[3] / "tournaments/README.md").read_text()
ROW = re.compile(r"^\| `([\w.]+)` \| (.*?) \| .+ \|$", re.MULTILINE)

SHOWN = {
    "name": "the file's name",
    "seed": "a secret is drawn",
    "clock": "those below",
    "faults": "those below",
    "rating": "those below",
    "sandbox": "the best there is",
    "sandbox.waiting": "`charged`, with `strict` `stopped`",
    "sandbox.system": "`memory`, if there is enough of it and not all bots come with the program; "
    "else `host`",
    "backend.dask.ca": "Dask's own",
    "backend.dask.cert": "Dask's own",
    "backend.dask.key": "Dask's own",
    "stop": "all is played",
    "rating.anchors": "all bots",
    "bots.as": "its own name",
    "tables.gauntlet": "",
    "tables.sample": "",
    "tables.adaptive": "",
}
"""Defaults that are said in words."""


def every() -> list[tuple[str, type[Struct]]]:
    inside = [(f"{key}.", kind) for key, kind in NESTED_KEYS.items()]
    return [("", TournamentKeys), *inside]


def test_every_key_has_a_row_and_every_row_a_key() -> None:
    known = [f"{prefix}{name}" for prefix, kind in every() for name in key_names(kind)]
    assert sorted(key for key, _ in ROW.findall(PAGE)) == sorted(known)


@pytest.mark.parametrize(("prefix", "kind"), every(), ids=str)
def test_the_defaults_in_the_page_are_those_of_the_program(prefix: str, kind: type[Struct]) -> None:
    rows = dict(ROW.findall(PAGE))
    for field in fields(kind):
        key = f"{prefix}{field.encode_name}"
        if key in SHOWN:
            assert rows[key] == SHOWN[key]
        elif field.required:
            assert rows[key] == "needed"
        else:
            assert field.default is not NODEFAULT
            shown = str(field.default).lower().removesuffix(".0")
            assert rows[key] == f"`{shown}`", key


def test_every_key_is_explained_in_errors_too() -> None:
    known = {f"{prefix}{name}" for prefix, kind in every() for name in key_names(kind)}
    assert set(KEY_HELP) == known - {"bots.bot"}
