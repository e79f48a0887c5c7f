"""The bots that come with the program, built once for all tests."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from arena.bots.bot import Bot, builtin_bots, load_bot
from arena.bots.build import BuildSettings
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.sandbox import select_sandbox
from arena.errors import BadBot
from tests.suite.tools import CI, UNREACHABLE, require_kit, skip_or_fail

FindBot = Callable[[str], Bot]

LACKING: Final = re.compile("is not installed|apt install|has no toolchain|requires rustc")
"""What an error says where a tool is missing or too old."""

ATTEMPTS: Final = 3 if CI else 1
"""How often packages are fetched; where nothing may be missing, a network may fail for a while."""
PAUSE: Final = 20.0
"""Seconds between two attempts."""

LONGEST_REASON: Final = 200

HASTE: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Options of a Java that works for seconds only, such as Maven's: it takes less CPU time."""


@pytest.fixture(scope="session")
def find_bot(shared_build_cache: Path) -> FindBot:
    """Find a bot by its name; where a tool or the network is missing, skip the test.

    It is built in the sandbox, if there is one here, with the network if it asks for it.
    """
    settings = BuildSettings(select_sandbox(None, ResourceLimits()), allows_network=True)
    reasons: dict[str, str] = {}

    def find_it(name: str) -> Bot:
        require_kit(name)
        if name not in reasons:
            with pytest.MonkeyPatch.context() as environment:
                environment.setenv("XDG_CACHE_HOME", str(shared_build_cache))
                options = f"{os.environ.get('MAVEN_OPTS', '')} {HASTE}".strip()
                environment.setenv("MAVEN_OPTS", options)
                try:
                    return fetch(builtin_bots()[name], settings, ATTEMPTS)
                except BadBot as error:
                    reasons[name] = reason(name, error)
        return skip_or_fail(reasons[name])

    return find_it


def reason(name: str, error: BadBot) -> str:
    """What the machine lacks to build a bot, if that is why it was not built."""
    if line := line_with(UNREACHABLE, error):
        return f"the packages of {name} cannot be fetched: {line}"
    if line := line_with(LACKING, error):
        return line
    raise error


def fetch(folder: Path, settings: BuildSettings, attempts: int) -> Bot:
    """Find a bot; try again if its packages cannot be fetched."""
    try:
        return load_bot(folder, settings)
    except BadBot as error:
        if attempts == 1 or not line_with(UNREACHABLE, error):
            raise
    time.sleep(PAUSE)
    return fetch(folder, settings, attempts - 1)


def line_with(pattern: re.Pattern[str], error: BadBot) -> str:
    """The line of an error in which a pattern is found, the end of it if it is long."""
    lines = [line for line in str(error).splitlines() if pattern.search(line)]
    return lines[0].strip()[-LONGEST_REASON:] if lines else ""
