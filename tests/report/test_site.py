"""A site has the files it says it has, and nothing else."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest

from arena.report.data import game_files
from arena.report.site import PageNotFound, Site
from arena.store.run import Run
from tests.cli.invoke import invoke_arena
from tests.cli.runs import CELLS, create_run
from tests.report.data.test_game_files import parse_script
from tests.report.runs import site_of


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", cells=CELLS[:2], blocks=5)


@pytest.fixture(scope="module")
def site(friday: Path) -> Site:
    return site_of(friday)


def content(friday: Path, site: Site, path: str) -> bytes:
    with Run.open(friday) as run:
        return site.content(path, run)


def test_paths(friday: Path, site: Site) -> None:
    paths = list(site.paths())
    assert len(set(paths)) == len(paths)
    assert {"index.html", "standings/all_3-seats.html", "bots/0-ann.html", "packs/f.js"} <= set(
        paths
    )
    assert {"static/site.css", "static/rules/replay.js", "static/replay/page.js"} <= set(paths)
    assert not any("__" in path or path.startswith(("/", ".")) for path in paths)
    assert all(content(friday, site, path) for path in paths)


@pytest.mark.parametrize(
    "path",
    [
        *("", "/", ".", "..", "../x", "../run.db", "run.db", "/etc/passwd", "index.html/"),
        *(
            "INDEX.HTML",
            "index.htm",
            "bots/",
            "bots/0-bob.html",
            "bots/6-x.html",
            "standings/x.html",
        ),
        *("static", "static/", "static/../site.py", "static/../../run.db", "static/nothing.js"),
        *("packs/zz.js", "packs/.js", "packs/F.js", "packs/0.js\n", "packs/00112233445566778.js"),
        *("packs/../index.html", "lists/99-0.js", "lists/0-1.js", "lists/2-0.js", "lists/-1-0.js"),
        *("lists/0-0.js\n", "lists/0--1.js", "lists/0-0", "lists/x-0.js", "lists/٠-٠.js"),
        *("\x00", "index.html\x00", "games.csv/", "templates/base.html", "\ud800"),
    ],
)
def test_there_is_no_such_page(friday: Path, site: Site, path: str) -> None:
    with pytest.raises(PageNotFound, match="there is no page"):
        content(friday, site, path)


def test_lists_hold_every_game_once(
    friday: Path, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One by one, or all in a row, they are the same files."""
    monkeypatch.setattr(game_files, "GAMES_PER_LIST", 4)
    with Run.open(friday) as run:
        listed = {path: told for path, told, _ in site.game_lists(run)}
        every = {game.id for game in run.games()}
    assert list(listed) == [
        *(f"lists/0-{number}.js" for number in range(4)),  # 15 games, and 20
        *(f"lists/1-{number}.js" for number in range(5)),
    ]
    found: list[str] = []
    for path, told in listed.items():
        assert content(friday, site, path) == told
        name, rows = parse_script(told, "Stichkampf.list(", ");\n")
        assert path == f"lists/{name}.js"
        found += [row[0] for row in rows]
    assert sorted(found) == sorted(every)
    index = parse_script(
        content(friday, site, "lists/index.js"), "(globalThis.Stichkampf ??= {}).listed = ", ";\n"
    )
    assert index["cells"] == [["sticheln, 3 seats", 15, 4], ["sticheln, 4 seats", 20, 5]]


@pytest.mark.parametrize("path", ["packs/00.js", "packs/0123456789abcdef.js", "packs/.js"])
def test_only_the_packs_that_pages_use(friday: Path, site: Site, path: str) -> None:
    """Fewer digits would be larger files, and more would be others of the same games."""
    assert "packs/0.js" in site.paths()
    assert content(friday, site, "packs/0.js")
    with pytest.raises(PageNotFound):
        content(friday, site, path)


def test_games_as_a_sheet(friday: Path, site: Site) -> None:
    with Run.open(friday) as run:
        text = b"".join(site.games_csv(lambda: Run.open(friday))).decode()
        games = list(run.games())
    rows = list(csv.DictReader(StringIO(text)))
    assert len(rows) == sum(game.seats for game in games) == 15 * 3 + 20 * 4
    assert {row["game"] for row in rows} == {game.id for game in games}


def test_standings_are_those_of_the_command(friday: Path, site: Site) -> None:
    found = json.loads(content(friday, site, "standings.json"))
    told = invoke_arena("standings", friday, "--json", "--times", "--by", "cell").stdout
    assert found == json.loads(told)
    sheet = list(csv.DictReader(StringIO(content(friday, site, "standings.csv").decode())))
    words = ("standings", friday, "--csv", "--times", "--by", "cell")
    printed = list(csv.DictReader(StringIO(invoke_arena(*words).stdout)))
    assert [row for row in sheet if row["table"] == "overall"] == printed[:6]
    assert {row["table"] for row in sheet} == {"overall", "3 seats", "4 seats"}


def test_the_crosstable_is_that_of_the_command(friday: Path, site: Site) -> None:
    found = content(friday, site, "crosstable.csv").decode()
    assert found == invoke_arena("crosstable", friday, "--csv").stdout


def test_bots_and_their_pages(friday: Path, site: Site) -> None:
    script = content(friday, site, "bots.js")
    told = parse_script(script, "(globalThis.Stichkampf ??= {}).bots = ", ";\n")
    assert told == {name: f"bots/{n}-{name}.html" for n, name in enumerate(site.bot_numbers)}
