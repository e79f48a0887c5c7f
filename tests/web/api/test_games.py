"""Games for programs: all of them some at a time, and each with a record that can be verified."""

from pathlib import Path

import msgspec
import pytest

from arena.referee.faults import Evidence, Fault
from arena.referee.record import Record, verify_record
from arena.store.block import DROPPED_RECORDS, StoredGame, without_stderr
from arena.store.database import transaction
from arena.store.run import Run
from arena.web.api.games import GamesQuery, search_games
from tests.cli.runs import BOTS, CELLS, create_run
from tests.web.ladders import copy_ladder, serve_ladder
from tests.web.server_process import ServerProcess


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return create_run(tmp_path_factory.mktemp("runs") / "friday", blocks=12)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000])
def test_pages_of_any_size_list_all_games(friday: Path, limit: int) -> None:
    with Run.open(friday) as run:
        wanted = [game.id for game in run.games()]
        found: list[str] = []
        asked = GamesQuery(limit=limit)
        while True:
            some = search_games(run, asked)
            found += [game.id for game in some.games]
            if some.next is None:
                break
            asked = GamesQuery(limit=limit, after=some.next)
    assert found == wanted


@pytest.mark.parametrize("bot", BOTS[:2])
@pytest.mark.parametrize("fault", [False, True])
@pytest.mark.parametrize("cell", [None, CELLS[1]])
def test_games_are_filtered(friday: Path, bot: str, fault: bool, cell: object) -> None:
    """The same as `arena games` finds."""
    where = {} if cell is None else msgspec.to_builtins(cell)
    with Run.open(friday) as run:
        every = list(run.games(bot=bot, fault=fault, **where))
        assert search_games(
            run, GamesQuery(bot=bot, fault=fault, **where, limit=1000)
        ).games == tuple(every)


def test_after_an_id(friday: Path) -> None:
    with Run.open(friday) as run:
        every = [game.id for game in run.games()]
        some = search_games(run, GamesQuery(after=every[4], limit=2)).games
        assert [game.id for game in some] == every[5:7]


def test_stderr_is_not_published() -> None:
    evidence = Evidence(request="{}", reply="x", stderr="secret")
    record = Record(
        variant="sticheln",
        seats=3,
        seed=1,
        choices=(),
        bots=(),
        scores=(),
        ranks=(),
        wall=(),
        cpu=(),
        faults=(Fault(0, "illegal", "it is none", 1, evidence),),
    )
    told = msgspec.json.encode(without_stderr(StoredGame(record, ("secret", "", ""))))
    assert b"secret" not in told
    assert b'"reply":"x"' in told


@pytest.mark.slow
def test_over_http(ladder_server: ServerProcess) -> None:
    found = ladder_server.request("/api/games?limit=1000").json
    assert found["next"] is None
    ids = [game["id"] for game in found["games"]]
    assert ids == sorted(ids)
    own = ladder_server.request("/api/games?bot=careful+v1&variant=sticheln&seats=3&limit=5").json
    assert (
        own["games"]
        == [
            game
            for game in found["games"]
            if "careful v1" in game["bots"] and game["variant"] == "sticheln"
        ][:5]
    )
    assert ladder_server.request("/api/games?fault=true").json == {"games": [], "next": None}


@pytest.mark.slow
def test_one_game(ladder_server: ServerProcess) -> None:
    game = ladder_server.request("/api/games?limit=1").json["games"][0]
    answer = ladder_server.request(f"/api/games/{game['id']}")
    found = answer.json
    assert found["game"] == game
    record = msgspec.convert(found["record"], Record, strict=False)
    verify_record(record)
    assert list(record.scores) == game["scores"]
    assert ladder_server.request(f"/{found['page']}").status == 200
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/ffffffffff-0", 404),
        ("/0000-0", 404),
        ("/..", 422),
        ("/zz-1", 422),
        ("/%00", 422),
        ("?after=ffffffffff-0", 404),
        ("?after=1", 422),
        ("?limit=0", 422),
        ("?limit=1001", 422),
        ("?fault=1", 422),
        ("?bot=careful", 422),
        ("?bot=" + "x" * 100, 422),
        ("?bot=a%27+OR+1%3D1--+v1", 422),
    ],
)
def test_unknown_games(ladder_server: ServerProcess, path: str, status: int) -> None:
    answer = ladder_server.request(f"/api/games{path}")
    assert (answer.status, set(answer.json)) == (status, {"error"})


@pytest.mark.slow
def test_records_that_were_dropped(ladder: Path, tmp_path: Path) -> None:
    folder = copy_ladder(ladder, tmp_path / "ladder")
    with Run.open_beside(folder) as run, transaction(run.connection):
        run.connection.execute("UPDATE kept SET games = ?", (DROPPED_RECORDS,))
    with serve_ladder(folder) as there:
        game = there.request("/api/games?limit=1").json["games"][0]
        found = there.request(f"/api/games/{game['id']}").json
        assert (found["game"], found["record"]) == (game, None)


@pytest.mark.slow
def test_a_search_that_takes_too_long(ladder: Path, tmp_path: Path) -> None:
    before = "import arena.web.api.games as games; games.STEPS_PER_CHECK, games.MAX_CHECKS = 1, 0\n"
    with serve_ladder(copy_ladder(ladder, tmp_path / "ladder"), before=before) as there:
        answer = there.request("/api/games?fault=true")
        assert answer.status == 503
        assert "too long" in answer.json["error"]
