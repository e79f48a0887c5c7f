"""A ladder's pages: who is active is ranked, everybody has a page, and nights are told."""

import csv
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path

import pytest

from arena.report.data.ladder_info import LadderInfo, PublishedNight, PublishedVersion, RankChange
from arena.report.pages import bots
from arena.report.pages.run import MAX_NIGHTS
from arena.report.site import PageNotFound, Site
from arena.sanitize import printable
from arena.store.run import Run
from tests.cli.hostile_text import HOSTILE_TEXTS
from tests.report.html_reader import Page, check_page, check_text_is_harmless
from tests.report.ladders import (
    RETIREMENT_REASON,
    VERSIONS,
    create_ladder,
    ladder_site_of,
    make_version,
)
from tests.report.runs import site_of as plain
from tests.report.test_pages import HOSTILE_TEXT

pytestmark = pytest.mark.slow

ACTIVE = {bot for bot, _, state in VERSIONS if state == "active"}
GONE = {bot for bot, _, state in VERSIONS if state != "active"}


class Made:
    """The site of a ladder."""

    def __init__(self, folder: Path, ladder_info: LadderInfo) -> None:
        self.folder = folder
        self.ladder_info = ladder_info
        self.site: Site = ladder_site_of(folder, ladder_info)
        more = {"lists/0-0.js", "lists/1-0.js", "games.csv"}
        self.there = {
            *self.site.paths(),
            *more,
            *({"submit", "api"} if ladder_info.accepts_submissions else ()),
        }

    def content(self, path: str) -> bytes:
        with Run.open(self.folder) as run:
            return self.site.content(path, run)

    @cache  # noqa: B019 (there are few)
    def page(self, path: str) -> Page:
        """A page, checked."""
        page = check_page(self.content(path), path, self.there)
        check_text_is_harmless(page)
        return page

    def of(self, bot: str) -> Page:
        """The page of a bot."""
        return self.page(self.site.pages.bot_paths[bot])


@pytest.fixture(scope="module")
def ladder_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, LadderInfo]:
    folder = tmp_path_factory.mktemp("ladder") / "ladder"
    return folder, create_ladder(folder)


@pytest.fixture(scope="module")
def ladder_pages(ladder_run: tuple[Path, LadderInfo]) -> Made:
    return Made(*ladder_run)


@pytest.fixture
def make_pages(ladder_run: tuple[Path, LadderInfo]) -> Callable[[LadderInfo], Made]:
    """The same ladder, of which something else is told."""
    return lambda ladder_info: Made(ladder_run[0], ladder_info)


def rows(page: Page, kind: str) -> list[list[str]]:
    """The texts of a table's rows below its head, cell by cell."""
    inside = [
        one
        for one in page.of("th", "td")
        if any(kind in above.attributes.get("class", "").split() for above in one.above)
    ]
    found: dict[int, list[str]] = {}
    for one in inside:
        if any(above.tag == "tbody" for above in one.above):
            found.setdefault(id(one.above[-1]), []).append(" ".join(one.text.split()))
    return list(found.values())


def words(page: Page) -> str:
    """All that is written, with single spaces."""
    return " ".join(page.text.split())


def test_every_page_is_whole_and_leads_somewhere(ladder_pages: Made) -> None:
    paths = {path for path in ladder_pages.there if path.endswith(".html")}
    assert {"nights.html", "bots-active.html", "bots-superseded.html", "bots-retired.html"} <= paths
    for path in paths:
        ladder_pages.page(path)


def test_only_active_versions_are_ranked(ladder_pages: Made) -> None:
    """Ranks are theirs alone, and ratings come from all games."""
    shown = rows(ladder_pages.page("index.html"), "standings")
    assert {row[1].removesuffix("°") for row in shown} == ACTIVE
    assert [row[0] for row in shown] == ["1", "2", "3", "4", "–"]  # eve has not played
    survey = ladder_pages.site.pages.survey
    whole = {line.bot: line for line in replace(survey, ladder=None).table(survey.scopes[0]).lines}
    assert set(whole) == ACTIVE | GONE
    for line in ladder_pages.site.pages.overall.lines:
        assert (line.mu, line.margin, line.games) == (
            *(whole[line.bot].mu, whole[line.bot].margin, whole[line.bot].games),
        )
    assert any(
        whole[bot].rank != line.rank
        for bot, line in ladder_pages.site.pages.lines_by_bot["index.html"].items()
    )


def test_no_csv_file_has_inactive_versions(ladder_pages: Made) -> None:
    standings = json.loads(ladder_pages.content("standings.json"))
    for table in (standings["overall"], *standings["parts"]):
        assert {line["bot"] for line in table["lines"]} == ACTIVE
        assert {bot for tier in table["tiers"] for bot in tier} <= ACTIVE
    sheet = csv.DictReader(StringIO(ladder_pages.content("standings.csv").decode()))
    assert {row["bot"] for row in sheet} == ACTIVE
    pairs = list(csv.DictReader(StringIO(ladder_pages.content("crosstable.csv").decode())))
    assert {row["row"] for row in pairs} == {row["column"] for row in pairs} == ACTIVE


def test_no_plot_of_the_front_page_has_others(ladder_pages: Made) -> None:
    for path in ladder_pages.site.pages.scopes:
        drawn = " ".join(one.text for one in ladder_pages.page(path).of("svg"))
        assert "bob v1" in drawn
        assert not [bot for bot in GONE if bot in drawn]


def test_all_versions_of_a_name(ladder_pages: Made) -> None:
    """Each page says whose it is, and leads to the others with what they came to."""
    for bot in ("ann v1", "ann v2", "ann v3"):
        page = ladder_pages.of(bot)
        assert "submitted by Ann" in words(page)
        assert "ann says hello" in page.of("blockquote")[0].text
        leads = {one.text: one.attributes["href"] for one in page.of("a")}
        table = [row for row in rows(page, "scroll") if row[0].startswith("ann v")][:3]
        assert [row[0].split(" this")[0] for row in table] == ["ann v3", "ann v2", "ann v1"]
        assert [row[1] for row in table] == ["active", "superseded", "superseded"]
        for other, row in zip(("ann v3", "ann v2", "ann v1"), table, strict=True):
            line = ladder_pages.site.pages.lines_by_bot["index.html"][other]
            assert row[2] == f"{line.mu:.1f} ±{line.margin:.1f}"
            if other != bot:
                assert leads[other] == f"../{ladder_pages.site.pages.bot_paths[other]}"
    assert "a reference bot" in words(ladder_pages.of("random v1"))


def test_inactive_versions_have_no_rank(ladder_pages: Made) -> None:
    for bot in GONE:
        line = ladder_pages.site.pages.lines_by_bot["index.html"][bot]
        assert (line.rank, line.ranks, line.tier) == (None, None, None)
        assert line.mu is not None
        facts = [one.text for one in ladder_pages.of(bot).of("dd")]
        assert "–" in facts
        assert " of 4 " not in words(ladder_pages.of(bot))
    assert " of 4 " in words(ladder_pages.of("bob v1"))


def test_a_retired_version_says_why_and_shows_it(ladder_pages: Made) -> None:
    page = ladder_pages.of("cleo v1")
    section = next(one for one in page.of("section") if "retired" in one.attributes["class"])
    for line in RETIREMENT_REASON.split("\n"):
        assert line in section.text
    assert "#faults" in [one.attributes["href"] for one in page.of("a")]
    assert "R99 is no option" in page.of("summary")[0].text
    assert not [one for one in ladder_pages.of("ann v1").of("section") if "retired" in one.text]


def test_opponents_are_active_or_were_met(ladder_pages: Made) -> None:
    found = {
        row[0]: row[-1] for row in rows(ladder_pages.of("cleo v1"), "sortable") if len(row) == 5
    }
    assert set(found) == {"random v1", "ann v1", "bob v1", "ann v2", "dan v1", "ann v3", "eve v1"}
    assert found["ann v3"] == "0"
    assert int(found["ann v1"]) > 0
    found = {
        row[0]: row[-1] for row in rows(ladder_pages.of("ann v3"), "sortable") if len(row) == 5
    }
    assert "cleo v1" not in found  # which it never met


def test_ratings_after_each_night(ladder_pages: Made) -> None:
    """A page draws its own version and the others of its name."""
    moments = ladder_pages.site.pages.survey.rating_history
    assert [one.night for one in moments] == [1, 2, 3]
    drawn = [
        one
        for one in ladder_pages.of("ann v1").of("figure")
        if one.attributes.get("id") == "history"
    ]
    assert "Ratings after each night" in drawn[0].text
    assert all(bot in drawn[0].text for bot in ("ann v1", "ann v2", "ann v3"))
    assert "bob v1" not in drawn[0].text
    assert not [one for one in ladder_pages.of("eve v1").of("figure") if "each night" in one.text]
    whole = [
        one for one in ladder_pages.page("index.html").of("figure") if "each night" in one.text
    ]
    assert len(whole) == 1


def test_the_last_night_stands_in_front(ladder_pages: Made) -> None:
    page = ladder_pages.page("index.html")
    section = next(one for one in page.of("section") if one.attributes["class"] == "panel")
    told = " ".join(section.text.split())
    assert "Last night" in told
    assert "84 games in 24 blocks, 2030-01-03 20:00 UTC to 2030-01-04 06:00 UTC." in told
    assert "▲ 4 dan v1 5 → 1▼ 1 bob v1 3 → 4" in told
    assert "New ann v3 rank 2" in told
    assert "nights.html" in [one.attributes["href"] for one in page.of("a")]
    assert not [
        one
        for one in ladder_pages.page("standings/sticheln.html").of("section")
        if "Last" in one.text
    ]


def test_the_latest_night_comes_first(ladder_pages: Made) -> None:
    page = ladder_pages.page("nights.html")
    assert [one.text for one in page.of("h2")] == ["Night 3", "Night 2", "Night 1"]
    told = words(page)
    assert "One bot could not be played: eve v1." in told
    assert ["dan v1", "▲ 4", "5 → 1", "22.0 → 29.5"] in rows(page, "scroll")
    assert ["ann v2", "new", "– → 1", "– → 28.0"] in rows(page, "scroll")
    assert "cleo v1: It faulted in 3 of 12 games. The last time: R99 is no option." in told
    leads = [one.attributes["href"] for one in page.of("a") if one.text == "cleo v1"]
    assert set(leads) == {"bots/3-cleo-v1.html"}


def test_the_menu(ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]) -> None:
    """What only a server has is offered where there is one."""
    usual = ["Standings", "Nights", "Bots", "Seats", "Games", "The ladder"]
    open_to_all = make_pages(replace(ladder_pages.ladder_info, accepts_submissions=True))
    for site, more in ((ladder_pages, []), (open_to_all, ["Submit", "API"])):
        for path, root in (("index.html", ""), ("bots/2-bob-v1.html", "../")):
            menu = [
                (one.text, one.attributes["href"])
                for one in site.page(path).of("a")
                if one.above[-1].attributes.get("aria-label") == "Pages"
            ]
            assert [text for text, _ in menu] == usual + more
            assert [to for text, to in menu if text == "Submit"] == [f"{root}submit"] * bool(more)


def test_the_ladder_itself(ladder_pages: Made) -> None:
    page = ladder_pages.page("run.html")
    assert page.of("h1")[0].text == "The ladder"
    assert "variants: [sticheln, stick-em]" in page.of("pre")[0].text
    assert "Its settings" in words(page)
    assert "superseded" in words(page)


def test_bots_by_their_state(ladder_pages: Made) -> None:
    for path, wanted in (
        ("bots.html", ACTIVE | GONE),
        ("bots-active.html", ACTIVE),
        ("bots-superseded.html", {"ann v1", "ann v2"}),
        ("bots-retired.html", {"cleo v1"}),
    ):
        page = ladder_pages.page(path)
        found = rows(page, "directory")
        assert {row[1] for row in found} == wanted
        named = {"bots.html", "bots-active.html", "bots-superseded.html", "bots-retired.html"}
        assert named <= {one.attributes["href"] for one in page.of("a")}
    (cleo,) = rows(ladder_pages.page("bots-retired.html"), "directory")
    assert cleo[:4] == ["–", "cleo v1", "Cleo", "retired"]
    assert cleo[-1] == "2030-01-01"


def test_fairness_is_asked_where_a_ladder_does_not_choose(ladder_pages: Made) -> None:
    asked = [row[0] for row in rows(ladder_pages.page("index.html"), "certificate")]
    assert asked == ["games in each seat", "games beside each", "deals that two blocks share"]


NASTIEST = [HOSTILE_TEXT, *HOSTILE_TEXTS.values()]


def hostile(ladder_info: LadderInfo) -> LadderInfo:
    """The same of strangers who write whatever they like, wherever they may."""
    texts = [" ".join(NASTIEST[n:] + NASTIEST[:n]) for n in range(len(ladder_info.versions))]
    versions = [
        replace(one, owner=text, message=f"{text}\n{text}", why=text, description=text)
        for one, text in zip(ladder_info.versions, texts, strict=True)
    ]
    versions = [
        replace(one, author=one.owner, language=one.owner, submitted=one.owner) for one in versions
    ]
    nights = [
        replace(
            one,
            began=HOSTILE_TEXT,
            ended=HOSTILE_TEXTS["clears the screen"],
            new=(*one.new, HOSTILE_TEXT),
            retired=((HOSTILE_TEXT, "".join(NASTIEST)), *one.retired),
            changes=(*one.changes, RankChange(HOSTILE_TEXT, 1, 2, float("nan"), float("inf"))),
            remarks=tuple(NASTIEST),
        )
        for one in ladder_info.nights
    ]
    return replace(ladder_info, versions=versions, nights=nights)


def test_submitted_texts_are_escaped(
    ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]
) -> None:
    nasty = make_pages(hostile(ladder_pages.ladder_info))
    for path in {path for path in nasty.there if path.endswith(".html")}:
        nasty.page(path)  # which is read as strictly as that
    assert printable(HOSTILE_TEXT) in nasty.page("nights.html").text
    page = nasty.of("cleo v1")
    section = next(one for one in page.of("section") if "retired" in one.attributes["class"])
    for text in NASTIEST:
        lines = [printable(line.strip("\t")) for line in text.split("\n")]
        assert all(line in section.text for line in lines), text
    for text in (HOSTILE_TEXT, HOSTILE_TEXTS["the other direction"]):
        assert printable(text) in page.of("blockquote")[0].text
        assert printable(text) in nasty.page("bots-retired.html").text


def test_texts_without_end_are_cut(
    ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]
) -> None:
    """So that one stranger does not make the pages of all others heavy."""
    long = "x" * 1_000_000
    versions = [
        replace(one, message=long, why=long, description=long, owner="o", author=long)
        for one in ladder_pages.ladder_info.versions
    ]
    nights = [
        replace(one, retired=(("cleo v1", long),), remarks=(long,))
        for one in ladder_pages.ladder_info.nights
    ]
    heavy = make_pages(replace(ladder_pages.ladder_info, versions=versions, nights=nights))
    for path in ("index.html", "nights.html", "bots.html", *heavy.site.pages.bot_paths.values()):
        assert len(heavy.content(path)) < len(ladder_pages.content(path)) + 60_000


def test_versions_and_bots_that_do_not_go_together(
    ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]
) -> None:
    """A version may join while pages are made, and one may be known that has not joined."""
    ladder_info = replace(
        ladder_pages.ladder_info,
        versions=[*ladder_pages.ladder_info.versions[:-2], make_version("zoe v1", "Zoe", "active")],
    )
    odd = make_pages(ladder_info)
    for path in {path for path in odd.there if path.endswith(".html")}:
        odd.page(path)
    assert "zoe v1" not in odd.page("bots.html").text
    assert {row[1] for row in rows(odd.page("index.html"), "standings")} == ACTIVE - {
        *("ann v3", "eve v1"),
    }
    assert "submitted by" not in odd.of("ann v3").text


def test_very_many_versions_of_a_name(
    ladder_pages: Made, make_pages: Callable[[LadderInfo], Made], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page has the last ones and its own."""
    monkeypatch.setattr(bots, "MAX_VERSIONS", 3)
    old = [
        replace(one, name="ann", number=n)
        for n, one in enumerate(ladder_pages.ladder_info.versions)
    ]
    many = make_pages(replace(ladder_pages.ladder_info, versions=old))
    for bot, others in (("random v1", ["eve v1", "ann v3"]), ("ann v3", ["eve v1", "dan v1"])):
        page = many.of(bot)
        assert [one.text for one in page.of("th") if "this one" in one.text] == [f"{bot} this one"]
        table = next(one for one in page.of("table") if "this one" in one.text)
        assert all(other in table.text for other in others)
        assert "The last 3 of 8;" in words(page)


def test_nights_without_end(ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]) -> None:
    """The last are told, and of each what changed most."""
    changes = tuple(RankChange("bob v1", n + 2, 1, None, None) for n in reversed(range(2000)))
    some = [
        replace(
            ladder_pages.ladder_info.nights[0], number=n, changes=changes, new=("bob v1",) * 300
        )
        for n in range(1, 101)
    ]
    ends = [ladder_pages.ladder_info.last_blocks[-1]] * len(some)
    many = make_pages(replace(ladder_pages.ladder_info, nights=some, last_blocks=ends))
    page = many.page("nights.html")
    assert len(page.of("h2")) == MAX_NIGHTS
    assert page.of("h2")[0].text == "Night 100"
    assert "the last 30 of 100" in words(page)
    assert "of 2,000 ranks that changed" in words(page)
    assert "and 280 more" in words(page)
    assert "and 295 more" in words(many.page("index.html"))


def test_a_night_that_goes_on(ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]) -> None:
    """It is told of, but what stands in front is the one before."""
    *others, last = ladder_pages.ladder_info.nights
    on = make_pages(
        replace(ladder_pages.ladder_info, nights=[*others, replace(last, ended=None, changes=())])
    )
    assert "since 2030-01-03 20:00 UTC; it goes on" in words(on.page("nights.html"))
    assert "2030-01-02 20:00 UTC" in words(on.page("index.html"))
    assert "2030-01-03 20:00 UTC" not in words(on.page("index.html"))


def test_a_ladder_before_its_first_night(
    ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]
) -> None:
    new = make_pages(replace(ladder_pages.ladder_info, nights=(), last_blocks=()))
    assert "There was none yet" in words(new.page("nights.html"))
    assert "Last night" not in words(new.page("index.html"))
    assert not [one for one in new.of("ann v3").of("figure") if "night" in one.text]


def test_a_ladder_without_active_versions(
    ladder_pages: Made, make_pages: Callable[[LadderInfo], Made]
) -> None:
    gone = [replace(one, state="superseded") for one in ladder_pages.ladder_info.versions]
    empty = make_pages(replace(ladder_pages.ladder_info, versions=gone))
    assert "No bot is in the standings yet." in words(empty.page("index.html"))
    assert json.loads(empty.content("standings.json"))["overall"]["lines"] == []
    empty.of("ann v3")
    assert "None." in words(empty.page("bots-active.html"))


def test_a_run_has_no_ladder_pages(ladder_pages: Made) -> None:
    site = plain(ladder_pages.folder)
    paths = set(site.paths())
    assert "nights.html" not in paths
    assert "bots-active.html" not in paths
    with Run.open(ladder_pages.folder) as run, pytest.raises(PageNotFound):
        site.content("nights.html", run)


def test_every_night_has_an_end() -> None:
    night = PublishedNight(1, "", None, 0, 0)
    with pytest.raises(ValueError, match="1 nights have 0 ends"):
        LadderInfo((), [night])


def test_versions_by_what_they_are() -> None:
    every: Sequence[PublishedVersion] = [make_version(*one) for one in VERSIONS]
    ladder_info = LadderInfo(every)
    assert ladder_info.active_bots == ACTIVE
    assert ladder_info.versions_by_bot["ann v2"].number == 2
    assert [one.bot for one in ladder_info.versions_by_name["ann"]] == [
        "ann v3",
        "ann v2",
        "ann v1",
    ]
    steps = [
        RankChange("ann v1", before, after, None, None).rank_gain
        for before, after in ((5, 2), (None, 2), (2, None))
    ]
    assert steps == [3, None, None]
