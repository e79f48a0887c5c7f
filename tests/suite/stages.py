"""The three stages of the suite, and the two markers that assign a test to one of them.

A test without a marker runs in `make check` and `make test`. A test marked `slow` runs in
`make test` only, and a test marked `soak` in `make soak` only. `make soak` also repeats all
property tests, with more examples.
"""

from collections.abc import Callable, Iterable
from typing import Final

import pytest
from hypothesis import is_hypothesis_test, settings

STAGES: Final = {"check": 1, "test": 5, "soak": 200}
"""How many examples Hypothesis tries for each property, by stage."""

for stage, examples in STAGES.items():
    settings.register_profile(
        stage,
        max_examples=examples,
        deadline=None,
        database=None,
        print_blob=True,
    )
settings.load_profile("check")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--stage`."""
    parser.addoption(
        "--stage",
        choices=list(STAGES),
        help="Run only the tests of this stage. Without it all selected tests run.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Register the markers and load the stage's Hypothesis profile."""
    config.addinivalue_line("markers", "slow: `make check` leaves it out")
    config.addinivalue_line("markers", "soak: only `make soak` runs it")
    if config.option.stage:
        settings.load_profile(config.option.stage)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests of other stages."""
    if not config.option.stage:
        return
    belongs = SELECTED[config.option.stage]
    others = [item for item in items if not belongs(item)]
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if belongs(item)]


def has(item: pytest.Item, *names: str) -> bool:
    """Whether a test has one of these markers."""
    return any(item.get_closest_marker(name) for name in names)


SELECTED: Final[dict[str, Callable[[pytest.Item], bool]]] = {
    "check": lambda item: not has(item, "slow", "soak"),
    "test": lambda item: not has(item, "soak"),
    "soak": lambda item: has(item, "soak") or is_hypothesis_test(getattr(item, "obj", None)),
}


def thin_out(cases: Iterable[object], count: int) -> list[object]:
    """All cases of a parametrized test, of which `make test` runs `count` at even distances."""
    everything = list(cases)
    kept = {index * len(everything) // count for index in range(count)}
    return [case if index in kept else soak_only(case) for index, case in enumerate(everything)]


def soak_only(case: object) -> object:
    """A case of a parametrized test that only `make soak` runs."""
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.soak], id=case.id)
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.soak)
