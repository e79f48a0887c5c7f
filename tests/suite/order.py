"""The order of test modules: the longest first, by durations that an earlier run recorded."""

import json
import random
from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

TESTS = Path(__file__).parent.parent
RECORDED = TESTS / "durations.json"
"""Seconds by module; `make durations` writes it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--record-durations` and `--shuffle`."""
    parser.addoption(
        "--record-durations",
        action="store_true",
        help=f"Write how long each module took into {RECORDED.name}.",
    )
    parser.addoption(
        "--shuffle",
        metavar="SEED",
        help="Run modules, and the tests within each of them, in an order drawn from this seed.",
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort modules by their recorded durations, or shuffle them."""
    if config.option.shuffle is not None:
        shuffle(items, config.option.shuffle)
        return
    durations = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    items.sort(key=lambda item: -durations.get(module_path(item.nodeid), 0))


def shuffle(items: list[pytest.Item], seed: str) -> None:
    """Put modules into a random order, and tests into one within their module."""
    chance = random.Random(seed)
    ranks = {
        name: chance.random() for name in dict.fromkeys(module_path(each.nodeid) for each in items)
    }
    chance.shuffle(items)
    items.sort(key=lambda item: ranks[module_path(item.nodeid)])


def module_path(nodeid: str) -> str:
    """The path of a test's module below `tests`."""
    return nodeid.partition("::")[0].removeprefix("tests/")


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Record how long each module took, if that was asked for."""
    if not config.option.record_durations:
        return
    durations: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                name = module_path(report.nodeid)
                durations[name] = durations.get(name, 0) + report.duration
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    known |= {name: round(seconds, 1) for name, seconds in durations.items()}
    kept = {name: seconds for name, seconds in known.items() if (TESTS / name).exists()}
    RECORDED.write_text(json.dumps(dict(sorted(kept.items())), indent=0) + "\n")
