"""Each use case of the public Python interface, called once with real bots."""

from pathlib import Path

import pytest

from arena import api
from arena.api import (
    ArenaError,
    Cell,
    Deal,
    Launcher,
    Referee,
    RefereeConfig,
    Run,
    back_up,
    build_report,
    build_standings,
    check_bot,
    compare_bots,
    create_ladder,
    load_bot,
    load_game_details,
    load_ladder_standings,
    load_standings,
    load_tournament,
    play_game,
    play_night,
    preview_tournament,
    rate_cells,
    rate_crosstable,
    run_standings,
    run_tournament,
    submit_bot,
    variant,
    verify_ladder,
    verify_run,
)
from tests.ladder import factories
from tests.suite.tools import require

TOURNAMENT = """\
variants: stick-em
seats: 3
bots: [careful, lowest, random]
deals: 1
sandbox: none
"""


def write_tournament(folder: Path) -> Path:
    file = folder / "small.yaml"
    file.write_text(TOURNAMENT)
    return file


def test_every_public_name_is_listed_and_exists() -> None:
    assert api.__all__ == sorted(api.__all__, key=lambda name: (not name.isupper(), name))
    assert all(hasattr(api, name) for name in api.__all__)


@pytest.mark.slow
def test_a_tournament(tmp_path: Path) -> None:
    """It is played, resumed, rated, verified and reported."""
    file, folder = write_tournament(tmp_path), tmp_path / "run"
    seen: list[int] = []
    result = run_tournament(
        file, folder, workers=1, on_progress=lambda progress: seen.append(progress.blocks)
    )
    lines = result.standings().overall.lines
    assert {line.bot for line in lines} == {"careful", "lowest", "random"}
    assert seen[-1] == 1

    again = run_tournament(load_tournament(file), folder)
    assert (again.progress.new_games, again.was_interrupted) == (0, False)

    assert preview_tournament(load_tournament(file)).games == result.progress.games

    with Run.open(folder) as run:
        game = next(run.games()).id
        assert load_game_details(run, game).record.variant == "stick-em"
        results = {cell: run.results(cell) for cell in run.cells()}
        assert rate_cells(run.roster(), results)[0].cell == Cell("stick-em", 3)
        assert build_standings(run.roster(), results).overall.lines == lines
        sections = run_standings(run, by="seats", audit=True, bias=True, spread=True)
        assert [part.title for part in sections.parts] == ["3 seats"]
        assert len(rate_crosstable(run.roster(), results).pairs) == 6
        report = build_report(run, tmp_path / "site")
    assert load_standings(folder).overall.lines == lines
    assert verify_run(folder).is_correct
    assert (tmp_path / "site" / "index.html").exists()
    assert report.files > 10


@pytest.mark.soak
def test_a_comparison() -> None:
    result = compare_bots("lowest", "careful", cells=[Cell("stick-em", 3)], max_games=12, workers=1)
    assert (result.a.name, result.b.name) == ("lowest", "careful")
    assert result.games > 0


@pytest.mark.slow
def test_a_check() -> None:
    assert check_bot(load_bot("first-legal"), ["hat-trick"]).passed


@pytest.mark.slow
def test_a_single_game(tmp_path: Path) -> None:
    bots = [load_bot(name) for name in ("careful", "lowest", "random")]
    config = RefereeConfig()
    with Launcher(config.sandbox) as launcher:
        referee = Referee(variant("sticheln").game(3), bots, launcher, config)
        (finished,) = referee.play([Deal(7)])
    assert [bot.name for bot in finished.record.bots] == ["careful", "lowest", "random"]
    assert not finished.record.faults
    again = play_game(variant("sticheln").game(3), bots, Deal(7), logs=tmp_path)
    assert again.record.choices == finished.record.choices
    assert (tmp_path / "seat0-careful.talk").read_text().startswith("> ")


@pytest.mark.soak
def test_a_ladder(tmp_path: Path) -> None:
    require("sandbox")  # uploads are unpacked in it
    folder = tmp_path / "ladder"
    new = create_ladder(folder, variants=["stick-em"], seats=[3])
    assert new.ladder.settings.keys.name == "ladder"
    factories.change_settings(folder, deals=1, placement={"games": 6, "share": 0.1})
    for name in ("ann", "bob", "eve"):
        submission = submit_bot(factories.write_script(tmp_path, f"{name}.py"), folder, owner=name)
        assert submission.is_accepted
    result = play_night(folder, games=6, workers=1)
    assert result.is_complete
    assert (folder / "site" / "index.html").exists()
    assert len(load_ladder_standings(folder).overall.lines) == 3
    assert verify_ladder(folder).is_correct
    assert back_up(folder, tmp_path / "ladder.tar").size > 0


def test_a_mistake_is_an_arena_error(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="no-such-bot"):
        load_bot("no-such-bot")
    with pytest.raises(ArenaError):
        run_tournament(tmp_path / "none.yaml", tmp_path / "run")
