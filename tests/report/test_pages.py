"""Every page of every kind of run is whole, leads somewhere, and shows texts as texts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import urlsplit

import pytest
from msgspec.structs import replace

from arena.ratings.cell import Cell
from arena.ratings.crosstable import build_crosstable
from arena.referee.faults import Evidence, Fault
from arena.report.data import game_files
from arena.report.pages import bots as pages_bots
from arena.report.pages.base import RUN_MENU
from arena.report.site import Site
from arena.sanitize import printable
from arena.store.block import PlayedBlock
from arena.store.excuses import Excuse
from arena.store.run import Run
from tests.cli.hostile_text import HOSTILE_TEXTS
from tests.cli.runs import CELLS, create_run, make_header
from tests.report.html_reader import Page, check_page, check_text_is_harmless
from tests.report.runs import block_with_faults, site_of, with_notes, write_run
from tests.store.blocks import BOTS, make_block
from tests.store.planned_runs import create_planned_run as planned

pytestmark = pytest.mark.slow

HOSTILE_TEXT = "</pre></title><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}"
NAMES = (
    HOSTILE_TEXT,
    HOSTILE_TEXTS["the other direction"] + HOSTILE_TEXTS["towers"],
    HOSTILE_TEXTS["further lines"],
    '" onmouseover="alert(1)',
    HOSTILE_TEXTS["clears the screen"],
    "__proto__",
    "items",
    "../../etc/passwd",
    "東京タワー" * 9,
    "never played",
)
"""Names of bots that would like to do more."""
NAME = "<b>run</b>\x1b[2J{{ 1 }}"
HOSTILE = [HOSTILE_TEXT, *HOSTILE_TEXTS.values()]


def talkative(number: int, table: tuple[str, ...]) -> PlayedBlock:
    """A block with a note and a fault in which everything is hostile."""
    text = HOSTILE[number % len(HOSTILE)]
    shown = Evidence(request=text, reply=text * 2, stderr="\n".join(HOSTILE), wall=0.1, cpu=1e-6)
    fault = Fault(1, "illegal", text, 4, shown)
    gone = Fault(2, "exited", text, None, replace(shown, request=None, reply=None))
    return with_notes(
        block_with_faults(number, table, fault, gone), dict.fromkeys(range(0, 60, 7), text or "x")
    )


def hostile(folder: Path) -> Path:
    """A run in which whatever strangers may write is nasty."""
    tables = [NAMES[0:3], NAMES[3:6], NAMES[6:9]]
    blocks = [talkative(n, tables[n % 3]) for n in range(len(HOSTILE) + 2)]
    about: dict[str, Any] = {
        "name": NAME,
        "text": f"name: {HOSTILE_TEXT}\n\tbots: {HOSTILE_TEXTS['C1 controls']}\n",
        "rating": {"standing": "score", "anchors": [NAMES[0]]},
        "settings": {"clock": {"move": 0.5}},
    }
    return write_run(folder, blocks, NAMES, **about)


def crowd(folder: Path) -> Path:
    """Sixty bots, in two cells so that all kinds of plots are there."""
    cells = (Cell("sticheln", 4), Cell("stick-em", 4))
    bots = [f"a-bot-with-quite-a-long-name-{number:02}" for number in range(60)]
    return create_run(folder, about=make_header(bots), cells=cells, blocks=60)


def throng(folder: Path) -> Path:
    """More bots than a page shows; most of them have hardly played."""
    bots = [f"bot-{number:03}" for number in range(230)]
    return create_run(folder, about=make_header(bots), cells=CELLS[:2], blocks=40)


def excused(folder: Path) -> Path:
    """A run in which the machine has killed a bot."""
    create_run(folder, blocks=6)
    with Run.open_for_writing(folder) as run:
        key = next(run.sorted_keys())
        run.add_excuse(
            Excuse(bot="ann", variant="sticheln", seats=3, chunk=key, text="killed", at="2030")
        )
    return folder


RUNS: dict[str, Callable[[Path], Path]] = {
    "several": lambda folder: create_run(folder, blocks=6),
    "one cell": lambda folder: planned(folder, faults=True, deals=1, cells=(Cell("stick-em", 3),)),
    "no block": lambda folder: create_run(folder, blocks=0),
    "sixty bots": crowd,
    "230 bots": throng,
    "hostile": hostile,
    "excuses": excused,
}


@dataclass(eq=False)
class Made:
    """A run and its site."""

    folder: Path
    site: Site
    there: set[str]

    @cache  # noqa: B019 (there are as many as runs)
    def page(self, path: str) -> Page:
        """A page, checked."""
        with Run.open(self.folder) as run:
            return check_page(self.site.content(path, run), path, self.there)


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """Makes each run once."""

    @cache
    def make(name: str) -> Made:
        folder = RUNS[name](tmp_path_factory.mktemp("runs") / "friday")
        site = site_of(folder)
        counts = enumerate(site.pages.game_counts())
        files = {
            f"lists/{place}-{number}.js"
            for place, (_, games) in counts
            for number in range(game_files.game_list_count(games))
        }
        return Made(folder, site, {*site.paths(), *files, "games.csv"})

    return make


@pytest.mark.parametrize("name", RUNS)
def test_every_page(make: Callable[[str], Made], name: str) -> None:
    made = make(name)
    pages = [path for path in made.there if path.endswith(".html")]
    shown = made.site.pages
    further = {part.path for every in shown.table_pages.values() for part in every}
    assert set(pages) == {
        *further,
        *shown.bot_paths.values(),
        *dict(RUN_MENU).values(),
        "game.html",
    }
    assert set(shown.scopes) <= further
    bots = {*made.site.pages.bot_paths.values()} - {*list(made.site.pages.bot_paths.values())[:12]}
    for path in set(pages) - bots:  # of sixty bots a dozen will do
        check_text_is_harmless(made.page(path))


@pytest.mark.parametrize("name", RUNS)
def test_scripts_and_csv_files_are_printable(make: Callable[[str], Made], name: str) -> None:
    made = make(name)
    files = [path for path in made.site.page_builders if not path.endswith(".html")]
    assert {"bots.js", "lists/index.js", "standings.csv", "standings.json"} <= set(files)
    with Run.open(made.folder) as run:
        for path in files:
            text = made.site.content(path, run).decode()
            assert text.replace("\n", "").isprintable()


def test_pages_load_no_external_files(make: Callable[[str], Made]) -> None:
    """Names of namespaces are no addresses."""
    for path, file in make("no block").site.static_files.items():
        text = file.read_text(encoding="utf-8")
        found = set(re.findall(r"https?:[^\s\"'`)]*", text))
        assert found <= {"http://www.w3.org/2000/svg"}, path
        assert "@import" not in text
        assert not re.search(r"\b(eval|innerHTML|outerHTML|insertAdjacentHTML)\b", text), path


def test_names_are_shown_as_they_are(make: Callable[[str], Made]) -> None:
    made = make("hostile")
    table = made.page("index.html").of("table")[0]
    for name in NAMES:
        assert printable(name) in table.text
        assert printable(name) in made.page(made.site.pages.bot_paths[name]).of("h1")[0].text
    assert printable(NAME) in made.page("index.html").of("title")[0].text
    assert printable(HOSTILE_TEXT) in made.page("run.html").of("pre")[0].text


def test_excuses_are_shown_where_there_are_some(make: Callable[[str], Made]) -> None:
    made, none = make("excuses"), make("several")
    ann, bob = (made.site.pages.bot_paths[name] for name in ("ann", "bob"))
    assert "1 excuse: the machine killed it" in made.page(ann).text.replace("\u00a0", " ")
    assert "excuse" not in made.page(bob).text
    for path in ("index.html", "bots.html", ann):
        assert "excuses" in made.page(path).of("thead")[0].text
        assert "excuses" not in none.page(path).text


def test_notes_and_evidence(make: Callable[[str], Made]) -> None:
    made = make("hostile")
    pages = [made.page(made.site.pages.bot_paths[name]) for name in NAMES]
    notes = "".join(one.text for page in pages for one in page.of("q"))
    evidence = "".join(one.text for page in pages for one in page.of("pre"))
    faults = "".join(one.text for page in pages for one in page.of("summary"))
    for told in (notes, evidence, faults):
        assert printable(HOSTILE_TEXT) in told
        assert printable(HOSTILE_TEXTS["quotes"]) in told
    assert "Notes" in pages[-1].text
    assert "It wrote none" in pages[-1].text


def test_no_path_of_this_machine(make: Callable[[str], Made]) -> None:
    """Bots are at /bots/NAME there, and the run is where tests are."""
    for name in ("one cell", "hostile"):
        made = make(name)
        with Run.open(made.folder) as run:
            for path in made.there - set(made.site.static_files) - {"games.csv"}:
                content = made.site.content(path, run).decode()
                assert str(made.folder.parent) not in content
                assert not re.search(r"(?<![\w.])/bots/", content), path


def test_the_standings(make: Callable[[str], Made]) -> None:
    """What the tables of the pages say is what the standings say."""
    made = make("several")
    for path, table in made.site.pages.tables.items():
        page = made.page(path)
        rows = [
            one
            for one in page.of("tr")
            if any(above.attributes.get("class") == "standings sortable" for above in one.above)
        ][1:]
        assert len(rows) == len(table.lines)
        for row, line in zip(rows, table.lines, strict=True):
            text = " ".join(row.text.split())
            assert text.startswith(f"{line.rank or '–'} {line.bot}")
            assert f"{line.games:,}" in text


def test_a_bot_stands_where_the_tables_have_it(make: Callable[[str], Made]) -> None:
    made = make("several")
    for name, path in made.site.pages.bot_paths.items():
        told = " ".join(made.page(path).text.split())
        for scope, of, line in made.site.pages.bot_lines(name):
            assert f"{scope.title} {line.rank} of {of} " in told


def test_menus_and_filters(make: Callable[[str], Made]) -> None:
    """A run with one cell needs no filter, and one with several has all it can say."""
    several, alone = make("several").page("index.html"), make("one cell").page("index.html")
    assert [one.text for one in several.of("option")] == [
        *("all variants", "sticheln", "sticheln+mild", "stick-em"),
        *("all sizes", "3", "4"),
    ]
    assert not alone.of("select")
    for path in ("seats.html", "standings/sticheln_3-seats.html"):
        current = [
            one for one in make("several").page(path).of("a") if "aria-current" in one.attributes
        ]
        assert [one.text for one in current] == (["Seats"] if path == "seats.html" else [])


def test_a_run_without_games(make: Callable[[str], Made]) -> None:
    made = make("no block")
    assert "No block is finished yet" in made.page("index.html").text
    assert not made.page("index.html").of("svg")
    for path in made.site.pages.bot_paths.values():
        assert "None yet." in made.page(path).text


def test_large_plots_are_cut_with_a_remark(make: Callable[[str], Made]) -> None:
    page = make("sixty bots").page("index.html")
    assert "Only the first 40 bots are drawn; crosstable.csv has all 60 bots." in page.text
    assert len(page.of("tr")) > 60


def test_every_page_is_reached_by_links(make: Callable[[str], Made]) -> None:
    """Without a script; but of lists and replays."""
    made = make("230 bots")
    found, open_ = {"index.html"}, ["index.html"]
    while open_:
        path = open_.pop()
        for lead in made.page(path).leads():
            to = normpath(join(dirname(path), urlsplit(lead).path)) if urlsplit(lead).path else path
            if to.endswith(".html") and to not in found:
                found.add(to)
                open_.append(to)
    assert found == {path for path in made.there if path.endswith(".html")}


def test_standings_go_on_on_further_pages(make: Callable[[str], Made]) -> None:
    """Every bot is on one of them, in the order of the table."""
    made = make("230 bots")
    for scope, every in made.site.pages.table_pages.items():
        assert len(every) == 3
        shown: list[str] = []
        for part in every:
            page = made.page(part.path)
            table = next(one for one in page.of("table") if "standings" in one.attributes["class"])
            names = [one for one in page.of("th") if table in one.above]
            shown += [one.text.rstrip("°") for one in names if one.attributes["scope"] == "row"]
            first, last = 100 * part.number - 99, min(230, 100 * part.number)
            assert f"bots {first} to {last} of 230" in table.text
            current = [
                one.text
                for one in page.of("a")
                if one.above[-1].attributes.get("class") == "pages"
                and "aria-current" in one.attributes
            ]
            assert set(current) == {str(part.number)}
        assert shown == [line.bot for line in made.site.pages.tables[scope].lines]
    assert made.site.pages.table_pages["index.html"][1].path == "standings/all-2.html"
    assert "standings/all_3-seats-3.html" in made.there
    assert not make("sixty bots").page("index.html").of("nav")[1:]


def test_very_many_opponents(make: Callable[[str], Made], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more than a hundred a page has those that were met, or met most; by their rank."""
    made = make("230 bots")
    survey, paths = made.site.pages.survey, made.site.pages.bot_paths
    known = made.site.pages.lines_by_bot["index.html"]
    often = max(survey.roster.bots, key=lambda one: known[one].games)
    never = next(one for one in survey.roster.bots if not known[one].games)
    whole = [
        one for one in build_crosstable(survey.roster, survey.rated_cells).pairs if one.row == often
    ]
    met = {one.column: one.blocks for one in whole if one.blocks}

    def shown(name: str) -> tuple[list[str], str]:
        with Run.open(made.folder) as run:
            page = Page(made.site.content(paths[name], run))
        table = next(one for one in page.of("table") if "opponent" in one.text)
        heads = [one for one in page.of("th") if table in one.above]
        names = [one.text for one in heads if one.attributes["scope"] == "row"]
        return names, " ".join(page.text.split())

    names, told = shown(often)
    assert len(met) > 20
    assert names == [one.column for one in whole if one.blocks]
    assert "Those that it met." in told
    assert shown(never)[0] == []
    monkeypatch.setattr(pages_bots, "MAX_OPPONENTS", 20)
    monkeypatch.setattr(pages_bots, "FEW_OPPONENTS", 10)
    names, told = shown(often)
    assert len(names) == 10
    assert f"The 10 that it met most, of {len(met)} that it met." in told
    assert names == [one.column for one in whole if one.column in names]
    fewest = min(met[name] for name in names)
    assert all(met[name] <= fewest for name in met.keys() - set(names))


def test_bots_are_found_where_there_are_many(make: Callable[[str], Made]) -> None:
    """By a script; the page of a replay has no room for it."""
    for name, path, there in (
        ("230 bots", "index.html", True),
        ("230 bots", "bots/7-bot-007.html", True),
        ("230 bots", "game.html", False),
        ("several", "index.html", False),
    ):
        page = make(name).page(path)
        forms = [one for one in page.of("form") if one.attributes.get("class") == "find"]
        assert bool(forms) == there
        assert all("hidden" in one.attributes for one in forms)
        scripts = [one.attributes["src"].rpartition("/")[2] for one in page.of("script")]
        assert ("find.js" in scripts) == there
        assert len(scripts) == len(set(scripts))


def test_pages_that_follow_a_run_say_so(tmp_path: Path) -> None:
    folder = create_run(tmp_path / "run", blocks=0)
    with Run.open(folder) as run:
        for live in (True, False):
            page = Page(site_of(folder, live=live).content("index.html", run))
            scripts = [one.attributes["src"] for one in page.of("script")]
            assert ("static/live.js" in scripts) == live
            assert ("this page follows the run" in page.text) == live


def test_a_run_whose_folder_has_a_strange_name(tmp_path: Path) -> None:
    """Commands can be typed as they are printed."""
    folder = write_run(tmp_path / "my run", [make_block(0)])
    with Run.open(folder) as run:
        text = Page(site_of(folder).content("index.html", run)).text
    assert "arena verify 'my run'" in text


def test_a_run_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder has a name all the same."""
    fault = Fault(1, "illegal", "no", 4)
    folder = write_run(tmp_path / "friday", [block_with_faults(0, BOTS[:3], fault)])
    monkeypatch.chdir(folder)
    site = site_of(Path())
    with Run.open(Path()) as run:
        assert "arena verify friday" in Page(site.content("index.html", run)).text
        own = Page(site.content(site.pages.bot_paths["bob"], run))
    assert "arena show friday " in own.text
