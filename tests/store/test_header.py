"""The header of a run."""

import pytest

from arena.store.database import BadRun
from arena.store.header import canonical
from tests.store.blocks import header


def test_two_bots_of_one_name() -> None:
    with pytest.raises(BadRun, match="two bots are called 'ann'; give one of them another name"):
        header(["ann", "bob", "ann"])


def test_canonical() -> None:
    assert canonical({"b": [1, {"d": 1, "c": 2}], "a": "ü"}) == '{"a":"ü","b":[1,{"c":2,"d":1}]}'
