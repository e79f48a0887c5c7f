"""The bots that come with the program, built once for all tests."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.bot import Bot, find, reference
from arena.bots.build import Workshop
from arena.bots.sandbox.level import Limits
from arena.bots.sandbox.sandbox import chosen
from arena.errors import BadBot

Built = Callable[[str], Bot]


@pytest.fixture(scope="session")
def built(builds: Path) -> Built:
    """Find a bot by its name; what is not installed skips the test.

    It is built inside walls, if there are any here, with the network if it asks for it.
    """
    workshop = Workshop(chosen(None, Limits()), network=True)

    def find_it(name: str) -> Bot:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("XDG_CACHE_HOME", str(builds))
            try:
                return find(reference()[name], workshop)
            except BadBot as error:
                if any(words in str(error) for words in ("is not installed", "apt install")):
                    pytest.skip(str(error))
                raise

    return find_it
