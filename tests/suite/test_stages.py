"""The stages: which tests each of them runs, and how cases are distributed over them."""

import pytest

from tests.suite.stages import SELECTED, soak_only, thin_out


def marks(case: object) -> list[str]:
    return [mark.name for mark in getattr(case, "marks", ())]


@pytest.mark.parametrize(
    ("count", "kept"),
    [(1, [0]), (2, [0, 5]), (3, [0, 3, 6]), (10, list(range(10))), (12, list(range(10)))],
)
def test_cases_at_even_distances_stay(count: int, kept: list[int]) -> None:
    cases = thin_out(range(10), count)
    assert [index for index, case in enumerate(cases) if "soak" not in marks(case)] == kept
    assert [getattr(case, "values", (case,))[0] for case in cases] == list(range(10))


def test_a_case_keeps_its_values_marks_and_name() -> None:
    case = soak_only(pytest.param("a", 1, marks=pytest.mark.slow, id="first"))
    assert (getattr(case, "values", None), getattr(case, "id", None)) == (("a", 1), "first")
    assert marks(case) == ["slow", "soak"]
    assert getattr(soak_only(("a", 1)), "values", None) == ("a", 1)
    assert getattr(soak_only([1]), "values", None) == ([1],)


@pytest.mark.parametrize(
    ("marked", "stages"),
    [
        ([], {"check", "test"}),
        (["slow"], {"test"}),
        (["soak"], {"soak"}),
        (["slow", "soak"], {"soak"}),
    ],
)
def test_a_marker_assigns_the_stage(
    request: pytest.FixtureRequest, marked: list[str], stages: set[str]
) -> None:
    item = pytest.Function.from_parent(request.node.parent, name="it", callobj=lambda: None)
    for name in marked:
        item.add_marker(name)
    assert {stage for stage, belongs in SELECTED.items() if belongs(item)} == stages
