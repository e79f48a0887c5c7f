"""All bots are listed, by rank, on as many pages as it takes."""

from pathlib import Path

import pytest

from arena.report.data.survey import survey_run
from arena.report.pages import bots
from arena.report.pages.base import Pages
from arena.report.pages.bots import bot_filters, bot_list_page, lines_by_rank
from arena.store.run import Run
from tests.cli.runs import CELLS, create_run, make_header
from tests.report.html_reader import Page
from tests.report.ladders import VERSIONS, create_ladder


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    about = make_header([f"bot-{number:02}" for number in range(25)])
    folder = tmp_path_factory.mktemp("runs") / "friday"
    with Run.open(create_run(folder, about=about, cells=CELLS[:1], blocks=20)) as run:
        return Pages(survey_run(run), run.name)


def test_every_bot_is_on_one_page(pages: Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "BOT_ROWS_PER_PAGE", 10)
    (every,) = bot_filters(pages)
    assert [part.path for part in every.parts] == ["bots.html", "bots-2.html", "bots-3.html"]
    found = []
    for part in every.parts:
        page = Page(bot_list_page(pages, every, part))
        names = [one for one in page.of("th") if one.attributes["scope"] == "row"]
        found += [one.text for one in names]
        assert f"; {part.first + 1} to {part.end}." in page.text
        leads = {one.attributes["href"] for one in page.of("a")}
        assert set(part.paths) <= leads
    assert found == pages.bots_by_rank


def test_a_ladder_by_states(tmp_path: Path) -> None:
    """Those that are not active come last among all, as they joined."""
    ladder_info = create_ladder(tmp_path / "ladder", blocks=4)
    with Run.open(tmp_path / "ladder") as run:
        shown = Pages(survey_run(run, ladder=ladder_info), run.name)
    every, *states = bot_filters(shown)
    assert [line.bot for line in lines_by_rank(shown, every)] == [
        *shown.bots_by_rank,
        *(bot for bot, _, state in VERSIONS if state != "active"),
    ]
    for choice in states:
        wanted = {bot for bot, _, state in VERSIONS if state == choice.title}
        assert {line.bot for line in lines_by_rank(shown, choice)} == set(choice.bots) == wanted
        assert choice.parts[0].path == f"bots-{choice.title}.html"
