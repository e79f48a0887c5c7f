"""The site in a real browser, opened from disk as people do."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, Page, expect

from arena.cli.commands.verify import verify
from arena.store.run import Run
from arena.store.search import GameRow
from tests.conftest import RunArena
from tests.suite.stages import soak_only

pytestmark = pytest.mark.slow
SOAK = pytest.mark.soak

WIDE, NARROW = (1280, 900), (360, 740)
PAGES = ("index.html", "seats.html", "games.html", "run.html")
MAX_WAIT = 60_000
"""Milliseconds for whatever a page is to do: the machine may be busy."""
VARIANTS = ("sticheln+aggravated+hazy", "stick-em+delayed", "hat-trick", "was-sticht")


class Visit:
    """A page that notes whatever goes wrong in it."""

    def __init__(self, page: Page, site: Path) -> None:
        self.page = page
        self.site = site
        self.wrong: list[str] = []
        self.listeners: dict[str, Callable[[Any], None]] = {
            "console": lambda said: self.note(said.type, said.text),
            "pageerror": lambda error: self.wrong.append(str(error)),
            "requestfailed": lambda request: self.lost(request.url, request.failure),
            "request": lambda request: self.local(request.url),
        }
        for event, listener in self.listeners.items():
            page.on(event, listener)  # type: ignore[call-overload] # Playwright's overloads want literals

    def end(self) -> None:
        """Leave the site and forget what it has stored; whatever has happened is noted by then."""
        self.page.evaluate("location.protocol === 'file:' && localStorage.clear()")
        self.page.goto("about:blank")
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)

    def note(self, kind: str, text: str) -> None:
        """What a page says to its console is a mistake, if it is meant as one."""
        if kind in {"error", "warning"}:
            self.wrong.append(text)

    def lost(self, url: str, why: str | None) -> None:
        """What is not found is a mistake, unless the page was left before it came."""
        if why != "net::ERR_ABORTED":
            self.wrong.append(f"not found: {url}")

    def local(self, url: str) -> None:
        """Nothing is asked of the network."""
        if not url.startswith(("file:", "data:", "blob:")):
            self.wrong.append(f"asks for {url}")

    def open(self, path: str) -> Page:
        """Open a page of the site from disk."""
        address = f"{self.site.as_uri()}/{path}"
        if address.partition("#")[0] == self.page.url.partition("#")[0]:
            self.page.goto("about:blank")  # another place in the same page loads nothing
        self.page.goto(address)
        return self.page

    def play(self, game: str, more: str = "") -> Page:
        """Open a game and wait for it."""
        page = self.open(f"game.html?game={game}{more}")
        expect(page.locator("body[data-ready=yes]")).to_be_attached()
        return page


@pytest.fixture(scope="module")
def pages(browser: Browser) -> Iterator[Callable[[tuple[int, int]], Page]]:
    """A page for each size of screen, which tests share: each page has a process of its own."""
    contexts = []

    @cache
    def page(size: tuple[int, int]) -> Page:
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if size == NARROW else "light",
        )
        context.set_default_timeout(MAX_WAIT)
        contexts.append(context)
        return context.new_page()

    yield page
    for context in contexts:
        context.close()


Open = Callable[[Path, tuple[int, int]], Visit]


@pytest.fixture
def open_page(pages: Callable[[tuple[int, int]], Page]) -> Iterator[Open]:
    """Visits that have to go without anything wrong, and leave nothing to the next ones."""
    visits: list[Visit] = []

    def open_(site: Path, size: tuple[int, int]) -> Visit:
        visits.append(Visit(pages(size), site))
        return visits[-1]

    yield open_
    for visit in visits:
        visit.end()
    assert [wrong for visit in visits for wrong in visit.wrong] == []


@pytest.fixture
def visit(open_page: Open, site: Path) -> Visit:
    return open_page(site, WIDE)


@pytest.fixture
def phone(open_page: Open, site: Path) -> Visit:
    return open_page(site, NARROW)


@pytest.fixture(scope="module")
def games(run_folder: Path) -> dict[str, list[GameRow]]:
    """The games of each variant."""
    with Run.open(run_folder) as run:
        return {name: list(run.games(variant=name)) for name in VARIANTS}


def column(page: Page, place: int) -> list[str]:
    """The cells of a column of the standings."""
    return page.locator(f"table.standings tbody tr > :nth-child({place})").all_inner_texts()


def every_page(site: Path) -> list[str]:
    return [str(file.relative_to(site)) for file in sorted(site.rglob("*.html"))]


def each_kind(site: Path) -> list[str]:
    """Of every folder the page with the longest name, and all pages outside of folders."""
    pages = every_page(site)
    longest = {Path(path).parent: path for path in sorted(pages, key=len)}
    return [path for path in pages if "/" not in path or path in longest.values()]


Choose = Callable[[Path], list[str]]
some_pages = pytest.mark.parametrize("choose", [each_kind, pytest.param(every_page, marks=SOAK)])


def test_standings_are_sorted(visit: Visit) -> None:
    page = visit.open("index.html")
    ranked = column(page, 2)
    page.get_by_role("button", name="bot", exact=True).click()
    assert column(page, 2) == sorted(ranked)
    page.get_by_role("button", name="bot", exact=True).click()
    assert column(page, 2) == sorted(ranked, reverse=True)
    head = page.locator("table.standings th", has_text="faults")
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    counts = [int(text) for text in column(page, 9)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0
    page.get_by_role("button", name="rank").click()
    assert column(page, 2) == ranked


def test_standings_are_filtered(visit: Visit) -> None:
    page = visit.open("index.html")
    page.get_by_label("Variant").select_option("hat-trick")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nachtlauf: hat-trick")
    expect(page.locator("table.standings caption")).to_contain_text("Standings, hat-trick")
    page.get_by_label("Seats").select_option("4")
    page.get_by_label("Variant").select_option("was-sticht")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nachtlauf: was-sticht, 4 seats")
    page.get_by_label("Variant").select_option("")
    page.get_by_label("Seats").select_option("")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nachtlauf")


def test_a_size_that_a_variant_is_not_played_at(visit: Visit) -> None:
    """Hat Trick takes four: who asks for three gets all tables of three."""
    page = visit.open("index.html")
    page.get_by_label("Variant").select_option("hat-trick")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nachtlauf: hat-trick")
    page.get_by_label("Seats").select_option("3")
    expect(page.get_by_role("heading", level=1)).to_have_text("Nachtlauf: 3 seats")


def test_figures_are_those_of_the_store(visit: Visit, site: Path) -> None:
    page = visit.open("index.html")
    told = json.loads((site / "standings.json").read_text())["overall"]["lines"]
    assert column(page, 2) == [line["bot"] for line in told]
    assert column(page, 4) == [
        f"{line['mu']:.1f} ±{line['margin']:.1f}" if line["mu"] else "–" for line in told
    ]
    with (site / "games.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    points: dict[str, int] = {}
    for row in rows:
        points[row["bot"]] = points.get(row["bot"], 0) + 1
    assert column(page, 11) == [f"{points[line['bot']]:,}" for line in told]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("presses", "stride"), [(6, 30), pytest.param(29, 3, marks=SOAK)])
def test_a_replay_to_the_end(
    visit: Visit,
    games: dict[str, list[GameRow]],
    variant: str,
    presses: int,
    stride: int,
    tmp_path: Path,
) -> None:
    """Step by step with the keyboard; what it comes to is what is stored, and can be saved."""
    game = games[variant][0]
    page = visit.play(game.id)
    stops: int = page.evaluate("Stichkampf.replay.page.stops.length")
    assert stops > sum(game.decisions) / 2
    for step in range(1, presses + 1):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("Stichkampf.replay.page.at") == step
    page.evaluate(
        "([first, stride]) => { const { page } = Stichkampf.replay;"
        "for (let at = first; at < page.stops.length; at += stride) page.go(at);"
        "page.go(page.stops.length - 1) }",
        [presses, stride],
    )
    assert page.evaluate("Stichkampf.replay.page.at") == stops - 1
    totals = [text(page, f"[data-total-seat='{seat}']") for seat in range(game.seats)]
    assert [int(total.replace("−", "-")) for total in totals] == list(game.scores)
    ranks = [text(page, f"[data-rank-seat='{seat}']") for seat in range(game.seats)]
    assert [int(re.sub(r"\D", "", rank)) for rank in ranks] == list(game.ranks)
    page.keyboard.press("Home")
    assert page.evaluate("Stichkampf.replay.page.at") == 0
    verified = CliRunner().invoke(verify, [str(save_record(page, tmp_path))])
    assert verified.output == "1 game, as written down\n"


def text(page: Page, selector: str) -> str:
    """What an element says."""
    return page.locator(selector).first.inner_text()


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_size_comes_to_what_is_stored(
    visit: Visit, games: dict[str, list[GameRow]], variant: str
) -> None:
    sizes = {game.seats: game for game in games[variant]}  # the last of each size
    for game in sizes.values():
        assert_ended(visit.play(game.id, "#end"), game)


def assert_ended(page: Page, game: GameRow) -> None:
    """A replay at its end shows the scores and ranks that are stored."""
    state: dict[str, Any] = page.evaluate("Stichkampf.replay.page.state()")
    assert state["scores"] == list(game.scores), game.id
    ranks = [text(page, f"[data-rank-seat='{seat}']") for seat in range(game.seats)]
    assert [int(re.sub(r"\D", "", rank)) for rank in ranks] == list(game.ranks)


@pytest.mark.parametrize(
    "variant", [soak_only(one) if one.startswith("stick-em") else one for one in VARIANTS]
)
def test_a_replay_on_a_phone(phone: Visit, games: dict[str, list[GameRow]], variant: str) -> None:
    """The largest table fits the screen in a trick and comes to what is stored."""
    game = max(games[variant], key=lambda game: game.seats)
    page = phone.play(game.id, "#r1t2c2")
    assert_harmless(phone)
    page.keyboard.press("End")
    assert_ended(page, game)


def assert_harmless(visit: Visit) -> None:
    """The page is no wider than a phone, and what strangers wrote has done nothing."""
    page = visit.page
    for _ in range(3):  # also while cards slide in
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0], page.url
    assert "hacked" not in page.title()
    assert page.locator("img").count() == 0


def test_a_link_to_a_card(visit: Visit, games: dict[str, list[GameRow]]) -> None:
    game = games["hat-trick"][0]
    page = visit.play(game.id, "#r2t5c3")
    stop: dict[str, Any] = page.evaluate("Stichkampf.replay.page.stops[Stichkampf.replay.page.at]")
    assert (stop["round"], stop["trick"], stop["card"]) == (2, 5, 3)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("location.hash === '#r2t5c4'")  # the address follows a little later


def save_record(page: Page, folder: Path) -> Path:
    """Download the record of a game."""
    with page.expect_download() as download:
        page.get_by_role("link", name="the record").click()
    file = folder / download.value.suggested_filename
    download.value.save_as(file)
    return file


def test_the_record_can_be_saved_and_verified(
    visit: Visit, games: dict[str, list[GameRow]], tmp_path: Path, run_arena: RunArena
) -> None:
    file = save_record(visit.play(games["hat-trick"][0].id), tmp_path)
    done = run_arena("verify", str(file))
    assert done.stdout == "1 game, as written down\n", done.stderr


def test_the_same_deal_in_other_seats(visit: Visit, games: dict[str, list[GameRow]]) -> None:
    game = games["was-sticht"][0]
    page = visit.play(game.id, "#r1t1c1")
    others = page.locator(f"a[href*='{game.id.split('-')[0]}-1']").first
    others.click()
    expect(page).to_have_url(re.compile(r"-1\b.*#r1t1c1$"))
    expect(page.locator("body[data-ready=yes]")).to_be_attached()


def test_from_one_seat(visit: Visit, games: dict[str, list[GameRow]]) -> None:
    """In Hazy nobody sees the designating cards of others until the round is over."""
    game = games["sticheln+aggravated+hazy"][0]
    page = visit.play(game.id, "&seat=1#r1t2c1")
    state: dict[str, Any] = page.evaluate("Stichkampf.replay.page.state()")
    assert all(state["hands"][1])
    assert not any(state["hands"][0])
    assert not any(state["laid"][0])


def test_an_unknown_game(visit: Visit) -> None:
    for wanted in ("", "?game=ffffffffff-0", "?game=%3Cb%3E", "?game=../../x"):
        page = visit.open(f"game.html{wanted}")
        expect(page.get_by_role("alert")).to_contain_text(re.compile(r"game", re.IGNORECASE))
    page.goto("about:blank")
    visit.wrong.clear()  # a browser complains of a file that is not there


def test_games_are_listed_and_filtered(visit: Visit, games: dict[str, list[GameRow]]) -> None:
    page = visit.open("games.html")
    page.get_by_label("Where").select_option(label="was-sticht, 4 seats (4)")
    rows = page.locator("#games tbody tr")
    wanted = [game for game in games["was-sticht"] if game.seats == 4]
    expect(rows).to_have_count(len(wanted))
    expect(page.locator("#found")).to_have_text(f"{len(wanted)} games, that is all")
    page.get_by_label("only with faults").check()
    guilty = [game for game in wanted if any(game.faults)]
    expect(rows).to_have_count(len(guilty))
    page.get_by_label("only with faults").uncheck()
    rows.first.get_by_role("link").first.click()
    expect(page.locator("body[data-ready=yes]")).to_be_attached()


def test_a_fault_leads_to_its_card(visit: Visit) -> None:
    page = visit.open("index.html")
    page.get_by_role("link", name="noter", exact=True).first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("noter")
    charge = page.locator("details.charge").first
    charge.locator("summary").click(position={"x": 5, "y": 8})
    expect(charge.get_by_text("arena play")).to_be_visible()
    expect(charge.get_by_text("<b>Z9</b>").first).to_be_visible()
    charge.get_by_role("link").click()
    expect(page.locator("body[data-ready=yes]")).to_be_attached()
    expect(page.get_by_text("is none of the options").first).to_be_attached()


def test_notes_of_strangers_in_a_replay(visit: Visit) -> None:
    page = visit.open("index.html")
    page.get_by_role("link", name="noter", exact=True).first.click()
    page.locator(".notes a").first.click()
    expect(page.locator("body[data-ready=yes]")).to_be_attached()
    expect(page.get_by_text("<img src=x").first).to_be_visible()
    assert "hacked" not in page.title()
    assert page.locator("img").count() == 0


def test_a_theme_is_remembered(visit: Visit) -> None:
    page = visit.open("index.html")
    button = page.get_by_role("button", name="Colours")
    button.click()
    button.click()
    expect(button).to_have_text("Colours: dark")
    dark = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    page.goto(f"{visit.site.as_uri()}/seats.html")
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == dark
    expect(page.get_by_role("button", name="Colours")).to_have_text("Colours: dark")


@some_pages
def test_pages_fit_a_phone_and_hostile_texts_are_harmless(phone: Visit, choose: Choose) -> None:
    """Notes, evidence and stderr of a hostile bot are text on every page."""
    hostile = [path for path in every_page(phone.site) if "noter" in path]
    assert hostile
    for path in dict.fromkeys([*choose(phone.site), *hostile]):
        page = phone.open(path)
        assert_harmless(phone)
        if not path.startswith("game.html"):
            assert page.locator("main script").count() == 0


@pytest.mark.soak
def test_no_replay_is_wider_than_a_phone(phone: Visit, games: dict[str, list[GameRow]]) -> None:
    for found in games.values():
        phone.open(f"game.html?game={found[0].id}#r1t2c2")
        assert_harmless(phone)


def test_every_page_can_be_walked_by_keyboard(visit: Visit) -> None:
    for path in PAGES:
        page = visit.open(path)
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.keyboard.press("Enter")
        page.wait_for_function("location.hash === '#main'")


def test_plots_speak(visit: Visit) -> None:
    """Every plot says what it shows to those who do not see it."""
    for path in ("index.html", "seats.html"):
        page = visit.open(path)
        plots = page.locator("svg[role=img]")
        assert plots.count() > 0
        for plot in plots.all():
            named = plot.get_attribute("aria-label") or plot.locator("title").first.inner_html()
            assert named


@pytest.fixture
def night(open_page: Open, ladder_site: Path) -> Visit:
    return open_page(ladder_site, NARROW)


@pytest.fixture
def crowd(open_page: Open, crowd_site: Path) -> Visit:
    return open_page(crowd_site, WIDE)


@pytest.fixture
def crowd_on_phone(open_page: Open, crowd_site: Path) -> Visit:
    return open_page(crowd_site, NARROW)


@some_pages
def test_no_page_of_a_ladder_is_wider_than_a_phone(night: Visit, choose: Choose) -> None:
    for path in choose(night.site):
        page = night.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0], path


@some_pages
def test_no_page_of_a_crowd_is_wider_than_a_phone(crowd_on_phone: Visit, choose: Choose) -> None:
    shown = choose(crowd_on_phone.site)
    bots = [path for path in shown if path.startswith("bots/")]
    some = [*bots[::20], *(path for path in bots if "bot-" not in path)]
    for path in dict.fromkeys([path for path in shown if path not in bots] + some):
        page = crowd_on_phone.open(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0], path
    page = crowd_on_phone.open("index.html")
    page.get_by_label("Find a bot").fill("bot")
    expect(page.locator(".found a")).to_have_count(8)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]


def test_from_the_last_night_to_why_a_bot_was_retired(night: Visit) -> None:
    page = night.open("index.html")
    page.get_by_role("link", name="All that the last nights changed").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Nights")
    page.get_by_role("link", name="cleo v1").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("cleo v1")
    expect(page.get_by_text("It faulted in 3 of 12 games.")).to_be_visible()
    page.get_by_role("link", name="Its faults").click()
    charge = page.locator("details.charge").first
    charge.locator("summary").click(position={"x": 5, "y": 8})
    expect(charge.get_by_text("R99", exact=True)).to_be_visible()
    expect(page.get_by_text("is for its owner only")).to_be_visible()
    expect(page.get_by_text("oh no")).to_have_count(0)


def test_a_bot_is_found(crowd: Visit) -> None:
    """By a part of its name; the best fit comes first, and names are shown as text."""
    page = crowd.open("index.html")
    field = page.get_by_label("Find a bot")
    found = page.locator(".found li")
    field.fill("BOT 11")
    expect(found).to_have_text(
        ["bot 11", "bot 119", *(f"bot 11{n}" for n in range(8, 2, -1)), "3 more"]
    )
    field.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("bot 11")
    page.get_by_label("Find a bot").fill("old<")
    expect(page.locator(".found li")).to_have_text(["<b>bold</b>"])
    page.locator(".found a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>bold</b>")
    page.get_by_label("Find a bot").fill("__")
    expect(page.locator(".found li")).to_have_text(["__proto__"])
    page.get_by_label("Find a bot").fill("back")
    expect(page.locator(".found li")).to_have_text(["\ufffdback"])
    page.get_by_label("Find a bot").fill("nobody")
    expect(page.locator(".found li")).to_have_text(["No such bot"])
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".found")).to_be_hidden()
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>bold</b>")


def test_the_list_of_games_knows_every_bot(crowd: Visit) -> None:
    page = crowd.open("games.html")
    names = page.locator("select[name=bot] option").all_inner_texts()
    assert len(names) == 1 + 122
    assert {"any", "bot 1", "<b>bold</b>", "__proto__", "\ufffdback"} <= set(names)
    page.locator("select[name=bot]").select_option(label="bot 1")
    expect(page.locator("#games tbody tr").first).to_contain_text("bot 1")


def test_without_scripts(browser: Browser, crowd_site: Path) -> None:
    """Pages lead on by links, and what needs a script is not offered."""
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{crowd_site.as_uri()}/index.html")
        expect(page.locator("form.find")).to_be_hidden()
        page.get_by_role("link", name="Next").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("friday, page 2")
        expect(page.locator("table.standings tbody tr")).to_have_count(22)
        page.get_by_role("link", name="Previous").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("friday")
