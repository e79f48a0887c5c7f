"""Every page of every kind of run is whole, leads somewhere, and shows texts as texts."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.match.faults import Evidence, Fault
from arena.printable import printable
from arena.ratings.results import Cell
from arena.report import lists
from arena.report.pages import MENU
from arena.report.site import Site
from arena.store.block import Block
from arena.store.run import Run
from tests.cli.nasty import NASTY
from tests.cli.runs import header, played
from tests.report.reading import Page, check, check_shown
from tests.report.runs import guilty, kept, site_of, with_notes
from tests.store.blocks import BOTS, block
from tests.store.planned import played as planned

pytestmark = pytest.mark.slow

EVIL = "</pre></title><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}"
NAMES = (
    EVIL,
    NASTY["the other direction"] + NASTY["towers"],
    NASTY["further lines"],
    '" onmouseover="alert(1)',
    NASTY["clears the screen"],
    "__proto__",
    "items",
    "../../etc/passwd",
    "東京タワー" * 9,
    "never played",
)
"""Names of bots that would like to do more."""
NAME = "<b>run</b>\x1b[2J{{ 1 }}"
HOSTILE = [EVIL, *NASTY.values()]


def talkative(number: int, table: tuple[str, ...]) -> Block:
    """A block with a note and a fault in which everything is hostile."""
    text = HOSTILE[number % len(HOSTILE)]
    shown = Evidence(request=text, reply=text * 2, stderr="\n".join(HOSTILE), wall=0.1, cpu=1e-6)
    fault = Fault(1, "illegal", text, 4, shown)
    gone = Fault(2, "exited", text, None, replace(shown, request=None, reply=None))
    return with_notes(
        guilty(number, table, fault, gone), dict.fromkeys(range(0, 60, 7), text or "x")
    )


def hostile(folder: Path) -> Path:
    """A run in which whatever strangers may write is nasty."""
    tables = [NAMES[0:3], NAMES[3:6], NAMES[6:9]]
    blocks = [talkative(n, tables[n % 3]) for n in range(len(HOSTILE) + 2)]
    about: dict[str, Any] = {
        "name": NAME,
        "text": f"name: {EVIL}\n\tbots: {NASTY['C1 controls']}\n",
        "rating": {"standing": "score", "anchors": [NAMES[0]]},
        "settings": {"clock": {"move": 0.5}},
    }
    return kept(folder, blocks, NAMES, **about)


def crowd(folder: Path) -> Path:
    """Sixty bots, in two cells so that all kinds of plots are there."""
    cells = (Cell("sticheln", 4), Cell("stick-em", 4))
    bots = [f"a-bot-with-quite-a-long-name-{number:02}" for number in range(60)]
    return played(folder, about=header(bots), cells=cells, blocks=60)


RUNS: dict[str, Callable[[Path], Path]] = {
    "several": lambda folder: played(folder, blocks=6),
    "one cell": lambda folder: planned(folder, faults=True, deals=1, cells=(Cell("stick-em", 3),)),
    "no block": lambda folder: played(folder, blocks=0),
    "sixty bots": crowd,
    "hostile": hostile,
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
            return check(self.site.content(path, run), path, self.there)


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Made]:
    """Makes each run once."""

    @cache
    def make(name: str) -> Made:
        folder = RUNS[name](tmp_path_factory.mktemp("runs") / "friday")
        site = site_of(folder)
        counts = enumerate(site.pages.counts())
        files = {
            f"lists/{place}-{number}.js"
            for place, (_, games) in counts
            for number in range(lists.files(games))
        }
        return Made(folder, site, {*site.paths(), *files, "games.csv"})

    return make


@pytest.mark.parametrize("name", RUNS)
def test_every_page(make: Callable[[str], Made], name: str) -> None:
    made = make(name)
    pages = [path for path in made.there if path.endswith(".html")]
    shown = made.site.pages
    assert set(pages) == {*shown.scopes, *shown.paths.values(), *dict(MENU).values(), "game.html"}
    bots = {*made.site.pages.paths.values()} - {*list(made.site.pages.paths.values())[:12]}
    for path in set(pages) - bots:  # of sixty bots a dozen will do
        check_shown(made.page(path))


@pytest.mark.parametrize("name", RUNS)
def test_scripts_and_sheets_say_nothing_that_does_not_show(
    make: Callable[[str], Made], name: str
) -> None:
    made = make(name)
    files = [path for path in made.site.made if not path.endswith(".html")]
    assert {"bots.js", "lists/index.js", "standings.csv", "standings.json"} <= set(files)
    with Run.open(made.folder) as run:
        for path in files:
            text = made.site.content(path, run).decode()
            assert text.replace("\n", "").isprintable()


def test_nothing_is_fetched_from_elsewhere(make: Callable[[str], Made]) -> None:
    """Names of namespaces are no addresses."""
    for path, file in make("no block").site.static.items():
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
        assert printable(name) in made.page(made.site.pages.paths[name]).of("h1")[0].text
    assert printable(NAME) in made.page("index.html").of("title")[0].text
    assert printable(EVIL) in made.page("run.html").of("pre")[0].text


def test_notes_and_evidence(make: Callable[[str], Made]) -> None:
    made = make("hostile")
    pages = [made.page(made.site.pages.paths[name]) for name in NAMES]
    notes = "".join(one.text for page in pages for one in page.of("q"))
    evidence = "".join(one.text for page in pages for one in page.of("pre"))
    faults = "".join(one.text for page in pages for one in page.of("summary"))
    for told in (notes, evidence, faults):
        assert printable(EVIL) in told
        assert printable(NASTY["quotes"]) in told
    assert "Notes" in pages[-1].text
    assert "It wrote none" in pages[-1].text


def test_no_path_of_this_machine(make: Callable[[str], Made]) -> None:
    """Bots are at /bots/NAME there, and the run is where tests are."""
    for name in ("one cell", "hostile"):
        made = make(name)
        with Run.open(made.folder) as run:
            for path in made.there - set(made.site.static) - {"games.csv"}:
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
    for name, path in made.site.pages.paths.items():
        told = " ".join(made.page(path).text.split())
        for scope, of, line in made.site.pages.lines(name):
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


def test_nothing_is_played_yet(make: Callable[[str], Made]) -> None:
    made = make("no block")
    assert "No block is finished yet" in made.page("index.html").text
    assert not made.page("index.html").of("svg")
    for path in made.site.pages.paths.values():
        assert "None yet." in made.page(path).text


def test_only_so_many_are_drawn_and_it_is_said(make: Callable[[str], Made]) -> None:
    page = make("sixty bots").page("index.html")
    assert "Only the first 40 bots are drawn; crosstable.csv has all 60 bots." in page.text
    assert len(page.of("tr")) > 60


def test_pages_that_follow_a_run_say_so(tmp_path: Path) -> None:
    folder = played(tmp_path / "run", blocks=0)
    with Run.open(folder) as run:
        for live in (True, False):
            page = Page(site_of(folder, live=live).content("index.html", run))
            scripts = [one.attributes["src"] for one in page.of("script")]
            assert ("static/live.js" in scripts) == live
            assert ("this page follows the run" in page.text) == live


def test_a_run_whose_folder_has_a_strange_name(tmp_path: Path) -> None:
    """Commands can be typed as they are printed."""
    folder = kept(tmp_path / "my run", [block(0)])
    with Run.open(folder) as run:
        text = Page(site_of(folder).content("index.html", run)).text
    assert "arena verify 'my run'" in text


def test_a_run_that_one_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder has a name all the same."""
    fault = Fault(1, "illegal", "no", 4)
    folder = kept(tmp_path / "friday", [guilty(0, BOTS[:3], fault)])
    monkeypatch.chdir(folder)
    site = site_of(Path())
    with Run.open(Path()) as run:
        assert "arena verify friday" in Page(site.content("index.html", run)).text
        own = Page(site.content(site.pages.paths["bob"], run))
    assert "arena show friday " in own.text
