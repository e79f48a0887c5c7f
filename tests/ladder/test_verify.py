"""A ladder is verified with its nights; what is forged in its tables is noticed."""

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from arena.ladder import verify
from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from arena.store.block import unpack_games
from arena.store.run import Run
from arena.tournaments.verify import RunVerification
from tests.cli.invoke import invoke_arena
from tests.conftest import MakeOnce
from tests.ladder import factories, real_nights
from tests.ladder.test_cleanup import drop
from tests.tournaments.forgeries import (
    open_database,
    remove_newest_blocks,
    rewrite,
    sql,
    won_by,
)

pytestmark = pytest.mark.slow

Forge = Callable[[Path], None]


def summary(field: str, value: str, night: int = 2) -> Forge:
    """Change something in the summary of a night."""
    return sql(
        f"UPDATE night SET summary = json_set(summary, '$.{field}', {value})"  # noqa: S608
        f" WHERE number = {night}"
    )


def version(column: str, value: str, bot: str = "dan v1") -> Forge:
    """Change something about a version."""
    return sql(f"UPDATE version SET {column} = {value} WHERE bot = '{bot}'")  # noqa: S608


HASHED = "night 2 and the results up to it are not those that were hashed"

NOTICED: dict[str, list[tuple[Forge, str]]] = {
    "version.bot": [(version("bot", "'eve v1'"), "dan v1 is not both a version of the ladder and")],
    "version.name": [(version("name", "'eve'"), "dan v1 is said to be version 1 of eve")],
    "version.number": [(version("number", "7"), "dan v1 is said to be version 7 of dan")],
    "version.owner": [
        (version("owner", "'bob'"), "submission sent did not become a version of dan"),
        (version("owner", "''", "ann v2"), "the anchors of the ratings are not"),
    ],
    "version.digest": [(version("digest", "'x'"), "dan v1 has another version in the run")],
    "version.state": [
        (version("state", "'active'", "ann v1"), "although ann v1 is active"),
        (version("state", "'active'", "ann v1"), "2 versions of ann are active"),
        (version("state", "'superseded'"), "dan v1 is said to be superseded, and by no version"),
        (version("state", "'retired'"), "dan v1 was retired in no night"),
    ],
    "submission.id": [(sql("UPDATE submission SET id = 'x'"), "belongs to no night and no subm")],
    "submission.owner": [(sql("UPDATE submission SET owner = 'x'"), "did not become a version")],
    "submission.state": [
        (
            sql("UPDATE submission SET state = 'refused'"),
            "belongs to no night and no submission",
        )
    ],
    "submission.bot": [
        (
            sql("UPDATE submission SET bot = 'ann v2'"),
            "ann v2, whose placement it is, does not",
        )
    ],
    "night.number": [(sql("UPDATE night SET number = 7 WHERE number = 2"), "not numbered one aft")],
    "night.began": [(sql("UPDATE night SET began = 'x' WHERE number = 2"), HASHED)],
    "night.aim": [(sql("""UPDATE night SET aim = '{"round":9}' WHERE number = 2"""), HASHED)],
    "night.bots": [
        (
            sql("UPDATE night SET bots = json_remove(bots, '$[0]')"),
            "did not play in night 2",
        ),
        (sql("UPDATE night SET bots = json_insert(bots, '$[#]', 'dan v1')"), HASHED),
        (
            sql("UPDATE night SET bots = json_insert(bots, '$[#]', 'x')"),
            "x is listed in night 2",
        ),
    ],
    "night.last": [(sql("UPDATE night SET last = 9 WHERE number = 2"), "stored before night 2")],
    "night.summary": [
        (summary("blocks", "9"), "the summary of night 2 has 9 blocks and 30 games"),
        (summary("games", "9"), "the summary of night 2 has 5 blocks and 9 games"),
        (summary("last", "9"), "up to block 9, stored are 5 and 30 up to 6"),
        (summary("results", "'x'"), HASHED),
        (summary("results", "''"), "night 3 and the results up to it are not those"),
        (summary("results", "''", 3), "there is no hash over the results of night 3"),
        (summary("new", "json('[]')"), HASHED),
        (summary("moves", "json('[]')"), HASHED),
        (summary("left_out", """json('[["x", "y"]]')"""), HASHED),
        (summary("retired", """json('[["dan v1", "y"]]')"""), "dan v1 was retired in night 2, and"),
    ],
    "ladder.version": [(sql("UPDATE ladder SET version = 0"), "the table 'night' is not as arena")],
    "dropped.digests": [
        (
            sql("UPDATE dropped SET digests = zeroblob(192)"),
            "night 1 and the results up to it",
        ),
        (sql("UPDATE dropped SET digests = x''"), "dropped without keeping their hashes"),
    ],
    "dropped.block": [(sql("DELETE FROM dropped"), "dropped without keeping their hashes")],
    "kept.games": [
        (
            sql("UPDATE kept SET games = x'00' WHERE block = 2"),
            "its records were dropped although ann v2 is active",
        ),
    ],
    "block.id": [
        (
            sql(
                "UPDATE block SET id = 99 WHERE id = 3",
                "UPDATE block SET id = 3 WHERE id = 4",
                "UPDATE block SET id = 4 WHERE id = 99",
            ),
            HASHED,
        )
    ],
    "session.salt": [
        (
            sql("UPDATE session SET salt = 'night 9' WHERE salt = 'night 2'"),
            "belongs to no night",
        ),
    ],
    "header.text": [
        (sql("UPDATE header SET text = 'name: x'"), "its settings cannot be read"),
        (
            sql("UPDATE header SET text = replace(text, 'deals: 1', 'deals: 2')"),
            "another 'deals'",
        ),
    ],
    "header.rating": [
        (
            sql("UPDATE header SET rating = json_set(rating, '$.standing', 'placement')"),
            "standing",
        ),
        (
            sql("UPDATE header SET rating = json_set(rating, '$.anchors', json('[]'))"),
            "anchors",
        ),
    ],
    "header.settings": [
        (
            sql("UPDATE header SET settings = json_set(settings, '$.deals', 7)"),
            "another 'deals'",
        ),
        (
            sql("UPDATE header SET settings = json_set(settings, '$.cells[0][1]', 4)"),
            "stick-em, 3 seats is not played on this ladder",
        ),
    ],
}
"""For each column, forgeries and what is said of them."""

TRUSTED = {
    "owner.name": "people, of whom no result depends",
    "owner.token": "people, of whom no result depends",
    "owner.since": "people, of whom no result depends",
    **dict.fromkeys(
        (
            *("version.message", "version.submitted", "version.until", "version.author"),
            *("version.language", "version.description", "version.why"),
        ),
        "what people and the operator say of a version; why it was retired is in its night, too",
    ),
    **dict.fromkeys(
        (
            *("submission.file", "submission.name", "submission.message", "submission.size"),
            *("submission.sent", "submission.begun", "submission.ended", "submission.tries"),
            *("step.submission", "step.number", "step.said"),
        ),
        "what was sent and answered",
    ),
    "night.ended": "a time that only the writer of the file knows",
    "ladder.id": "SQLite holds it to 1",
}
"""Columns that nothing else in the file can prove; what the page says of them."""


@pytest.fixture
def season(tmp_path: Path, make_once: MakeOnce) -> Ladder:
    """Three nights; the records of the first one were dropped."""

    def fill(folder: Path) -> None:
        made = real_nights.play_three_nights(folder / "ladder")
        shutil.copytree(made.folder, folder / "before")
        assert drop(made, 1) == 1

    made = make_once("genuine season", fill)
    shutil.copytree(made / "before", tmp_path / "before")
    return factories.copy_ladder(made / "ladder", tmp_path / "ladder")


def found_in(folder: Path) -> RunVerification:
    return verify.verify_ladder(folder, workers=1)


def said_of(found: RunVerification) -> list[str]:
    return [*found.run, *(f"{one.where}: {one.error}" for one in found.wrong)]


def test_every_column_of_a_ladder_is_forged(season: Ladder) -> None:
    with Registry.open_read_only(season.folder) as registry:
        columns = registry.rows(
            "SELECT tables.name || '.' || columns.name FROM sqlite_schema AS tables,"
            " pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
            " AND tables.name IN ('owner', 'version', 'submission', 'step', 'night', 'ladder')"
        )
        assert {column for (column,) in columns} <= NOTICED.keys() | TRUSTED.keys()


@pytest.mark.parametrize(
    ("forge", "said"),
    [
        pytest.param(*forgery, id=f"{column}-{number}")
        for column, forgeries in NOTICED.items()
        for number, forgery in enumerate(forgeries)
    ],
)
def test_a_forged_column_is_noticed(season: Ladder, forge: Forge, said: str) -> None:
    forge(season.folder)
    found = found_in(season.folder)
    assert any(said in line for line in said_of(found)), said_of(found)


def test_dropped_records_are_counted_and_no_error(season: Ladder) -> None:
    done = invoke_arena("verify", season.folder)
    assert done.exit_code == 0, done.output
    first, second, *_ = done.stdout.splitlines()
    assert first == (
        "102 games in 17 blocks, of which 6 have no records and could not be replayed, all the "
        "others as written down, all deals from the seed committed to"
    )
    before = found_in(season.folder.parent / "before")
    assert before.hashed is not None
    assert before.unrecorded == 0
    assert second == f"hash over the results up to night 3: {before.hashed.results}"


def test_results_of_dropped_records_cannot_be_rewritten(season: Ladder) -> None:
    """Possible scores that fit each other are not those that were hashed."""
    with Run.open(season.folder) as run:
        block = next(block for block in run.blocks() if run.block_rows(block.key).id == 1)
    results = won_by(block, "ann v1", (36, -12))
    with open_database(season.folder) as connection:
        rewrite(connection, 1, results)
        connection.execute("DELETE FROM fault WHERE block = 1")
        connection.execute("UPDATE game SET faults = '[0,0,0]' WHERE block = 1")
        connection.execute("UPDATE entry SET faults = 0 WHERE block = 1")
    found = found_in(season.folder)
    assert said_of(found) == [
        "night 1 and the results up to it are not those that were hashed when it was over"
    ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE game SET points = '[1,2,3]'", "its scores and faults make its points"),
        ("UPDATE game SET ranks = '[1,1,1]'", "do not follow from its scores and faults"),
        ("UPDATE game SET scores = '[109,0,0]'", "a score of 109 is impossible"),
        ("UPDATE game SET scores = '[100,100,100]'", "a sum of scores of 300 is impossible"),
        ("UPDATE game SET decisions = '[9,9,9]'", "a number of decisions of 9 is impossible"),
        ("UPDATE game SET cpu = '[-1,0,0]'", "a number of faults or a time is negative"),
        ("UPDATE game SET cpu = '[0,0]'", "its cpu are not those of 3 seats"),
        ("UPDATE game SET seating = '[2,1,0]'", "its seating is"),
        ("UPDATE entry SET points = points + 1", "is not the sum of its games"),
        ("DELETE FROM fault", "the faults that are listed are not those that its games have"),
        ("UPDATE fault SET seat = 0", "the faults that are listed are not those that its games"),
        ("UPDATE fault SET bot = 9", "the faults that are listed are not those that its games"),
        ("UPDATE fault SET fault = 'bad luck'", "the faults that are listed are not those that"),
        ("UPDATE fault SET number = 3", "the faults that are listed are not those that its games"),
    ],
)
def test_figures_without_records_have_to_fit(season: Ladder, statement: str, said: str) -> None:
    sql(f"{statement} WHERE block = 1")(season.folder)
    found = found_in(season.folder)
    assert any(said in line for line in said_of(found)), said_of(found)
    assert any(line.startswith("night 1 and the results") for line in found.run)


def test_newest_blocks_away(season: Ladder) -> None:
    remove_newest_blocks(2)(season.folder)
    said = said_of(found_in(season.folder))
    assert any(line.startswith("the summary of night 3 has 10 blocks") for line in said), said


def test_blocks_of_a_night_that_came_later(season: Ladder) -> None:
    """Somebody plays another table for a night that is over."""
    with Run.open_for_writing(season.folder) as run:
        run.begin_session("code", 1, "none", "night 3")
        names = ("ann v2", "bob v2", "cleo v2")
        run.add(real_nights.play_blocks(run, season, names, "night 3", range(5, 6)))
    said = said_of(found_in(season.folder))
    assert any("it was stored after night 3 was over" in line for line in said), said


def test_a_bot_that_did_not_play(season: Ladder) -> None:
    with Run.open_for_writing(season.folder) as run:
        run.begin_session("code", 1, "none", "night 2")
        run.add(
            real_nights.play_blocks(
                run, season, ("ann v2", "bob v2", "dan v1"), "night 2", range(1)
            )
        )
    said = said_of(found_in(season.folder))
    assert any("dan v1 did not play in night 2" in line for line in said), said


def test_the_same_deal_in_another_order(season: Ladder) -> None:
    """Bots at other places make another key of the same deal, which must not count twice."""
    with Run.open_for_writing(season.folder) as run:
        run.begin_session("code", 1, "none", "night 3")
        run.add(
            real_nights.play_blocks(
                run, season, ("bob v2", "ann v2", "cleo v2"), "night 3", range(1)
            )
        )
    said = said_of(found_in(season.folder))
    assert any("its bots do not sit in the order of the ladder" in line for line in said), said


def test_a_copy_of_a_dropped_record_proves_the_game(season: Ladder, tmp_path: Path) -> None:
    with Run.open(tmp_path / "before") as run:
        block = next(block for block in run.blocks() if run.block_rows(block.key).id == 1)
    records = [game.record for game in unpack_games(block.packed_games)]
    file = tmp_path / "mine.jsonl"

    def write(*told: object) -> None:
        file.write_bytes(b"\n".join(map(msgspec.json.encode, told)))

    write(*records)
    done = invoke_arena("verify", season.folder, "--records", file)
    assert (done.exit_code, done.output) == (
        0,
        "6 records, of which 6 match the hashes and the results that are kept\n",
    )
    write(msgspec.structs.replace(records[0], cpu=(0,) * len(records[0].cpu)))
    done = invoke_arena("verify", season.folder, "--records", file)
    assert done.exit_code == 1
    assert done.output.startswith("record 1: it is of no game whose record was dropped\n")
    sql("UPDATE game SET scores = '[1,2,3]' WHERE block = 1")(season.folder)
    write(records[1])
    done = invoke_arena("verify", season.folder, "--records", file)
    assert done.exit_code == 1
    assert "played again its scores are" in done.output


def test_records_belong_to_a_run(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("{}\n")
    done = invoke_arena("verify", file, "--records", file)
    assert done.exit_code == 2
    assert f"Error: {file} is not a run; --records belongs to a run\n" == done.stderr


def test_records_of_a_tournament_are_never_dropped_rightly(season: Ladder) -> None:
    """A ladder without its tables is a tournament with deals outside of its plan."""
    tables = ("step", "submission", "owner", "version", "night", "ladder")
    sql(*(f"DROP TABLE {table}" for table in tables))(season.folder)
    done = invoke_arena("verify", season.folder)
    assert done.exit_code == 1
    assert "6 of its games have no records, which are dropped on ladders only" in done.output
    assert "it is not in the plan: its deals were drawn for 'night 2'" in done.output


def test_a_ladder_that_does_not_say_how_it_was_made(season: Ladder) -> None:
    for statement, said in (
        ("UPDATE ladder SET version = 99", "newer version of arena"),
        ("DELETE FROM ladder", "does not say how its ladder was made"),
    ):
        sql(statement)(season.folder)
        done = invoke_arena("verify", season.folder)
        assert done.exit_code == 2
        assert said in done.stderr


def test_nights_before_hashes_were_kept_are_covered_by_the_next(season: Ladder) -> None:
    """An old ladder is whole again after a night."""
    sql("UPDATE night SET summary = json_remove(summary, '$.results')")(season.folder)
    assert said_of(found_in(season.folder)) == [
        "there is no hash over the results of night 1, 2, 3"
    ]
    real_nights.play_night(season)
    found = found_in(season.folder)
    assert found.is_correct, said_of(found)


def test_a_hash_that_was_published_shows_what_a_whole_forgery_hides(season: Ladder) -> None:
    """Who may write the file can make all hashes anew; but then they are others."""
    before = found_in(season.folder).hashed
    with Run.open(season.folder) as run:
        block = next(block for block in run.blocks() if run.block_rows(block.key).id == 1)
    with open_database(season.folder) as connection:
        rewrite(connection, 1, won_by(block, "ann v1", (36, -12)))
        connection.execute("DELETE FROM fault WHERE block = 1")
        connection.execute("UPDATE game SET faults = '[0,0,0]' WHERE block = 1")
        connection.execute("UPDATE entry SET faults = 0 WHERE block = 1")
    with Registry.open(season.folder) as registry:
        for number in range(1, 4):
            with Run.open(season.folder) as run:
                nights = registry.nights()
                night = nights[number - 1]
                assert night.summary is not None
                results = verify.results_hash(run, nights, night, night.summary)
            again = msgspec.structs.replace(night.summary, results=results)
            registry.save_summary(number, again)
    found = found_in(season.folder)
    assert found.is_correct, said_of(found)
    assert found.hashed != before
