"""What a tournament file may say, and what is said where it is wrong."""

from pathlib import Path

import msgspec
import pytest
import yaml

from arena.bots.sandbox.limits import ResourceLimits as Room
from arena.bots.sandbox.limits import SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.protocol.messages import Limits
from arena.ratings.cell import Cell
from arena.referee.config import RefereeConfig
from arena.referee.faults import FaultPolicy
from arena.tournaments.config.keys import RatingKeys, StopKeys, TableKeys
from arena.tournaments.config.scheduler_address import SchedulerAddress
from arena.tournaments.config.tournament import Tournament, load_tournament
from arena.tournaments.config.yaml_file import BadTournament
from arena.tournaments.deals import commitment
from tests.suite.tools import UNREACHABLE, require_kit, skip_or_fail

ROOT = Path(__file__).parents[3]
LEAST = {
    "variants": "sticheln",
    "seats": "4",
    "bots": "[random, lowest, highest, {bot: random, as: other}]",
}

WHOLE = """
name: Friday 7
seed: a long secret
variants: [sticheln+hazy+mild, hat-trick]
seats: [4]
bots: [random, lowest, highest, {bot: random, as: other}]
deals: 24
seating: rotations
tables: {sample: 3}
chunk: 8
clock: {move: 0.5, bank: 2}
faults: {policy: forfeit, retire: 3}
workers: 2
anonymous: false
rating: {standing: placement, anchors: [random]}
sandbox: none
stop: {when: order, confidence: 0.9}
"""


def write_file(folder: Path, text: str | bytes) -> Path:
    file = folder / "friday.yaml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def keys(**other: str) -> str:
    """The fewest keys, with some changed or added."""
    return "".join(f"{key}: {value}\n" for key, value in (LEAST | other).items())


def tournament_with(folder: Path, **other: str) -> Tournament:
    return load_tournament(write_file(folder, keys(**other)))


def test_all_keys(tmp_path: Path) -> None:
    found = load_tournament(write_file(tmp_path, WHOLE))
    assert (found.name, found.seed, found.text) == ("Friday 7", "a long secret", WHOLE)
    assert found.cells == (Cell("sticheln+mild+hazy", 4), Cell("hat-trick", 4))
    assert [bot.name for bot in found.bots] == ["highest", "lowest", "other", "random"]
    assert found.paths == ("highest", "lowest", "random", "random")
    assert found.bots[2].version == found.bots[3].version
    assert (found.deals, found.seating, found.chunk, found.workers) == (24, "rotations", 8, 2)
    assert found.tables == TableKeys(sample=3)
    assert found.referee_config == RefereeConfig(  # without a sandbox
        limits=Limits(move=0.5, bank=2), policy=FaultPolicy.FORFEIT, max_faults=3, anonymous=False
    )
    assert found.rating == RatingKeys(standing="placement", anchors=("random",))
    assert (found.sandbox, found.stop) == ("none", StopKeys(when="order", confidence=0.9))


def test_the_fewest_keys(tmp_path: Path) -> None:
    found = tournament_with(tmp_path)
    assert (found.name, found.seed, found.workers, found.stop) == ("friday", None, None, None)
    assert (found.deals, found.seating, found.tables, found.chunk) == (12, "balanced", "all", 32)
    assert found.referee_config == RefereeConfig(sandbox=select_sandbox(None, Room()))
    assert found.rating == RatingKeys()
    assert found.notes == ()


def test_settings_are_json_and_keep_the_secret(tmp_path: Path) -> None:
    found = load_tournament(write_file(tmp_path, WHOLE))
    text = msgspec.json.encode(found.settings()).decode()
    assert msgspec.json.decode(text) == found.settings()
    assert "a long secret" not in text
    assert commitment("a long secret") in text
    assert tournament_with(tmp_path).settings()["seed"] is None


@pytest.mark.parametrize(
    ("given", "seed"), [("7", "7"), ("'007'", "007"), ("abc", "abc"), ("null", None)]
)
def test_a_seed_is_text(tmp_path: Path, given: str, seed: str | None) -> None:
    assert tournament_with(tmp_path, seed=given).seed == seed


def test_no_clock(tmp_path: Path) -> None:
    assert tournament_with(tmp_path, clock="none").referee_config.limits is None
    assert tournament_with(tmp_path, clock="{}").referee_config.limits == Limits()


def test_a_policy_alone(tmp_path: Path) -> None:
    assert tournament_with(tmp_path, faults="strict").referee_config.policy is FaultPolicy.STRICT
    assert tournament_with(
        tmp_path, faults="{retire: 2}", sandbox="none"
    ).referee_config == RefereeConfig(max_faults=2)


@pytest.mark.parametrize(
    ("file", "name"),
    [("Friday (2).yaml", "Friday-2"), ("...yaml", "tournament"), ("ä ö.yml", "tournament")],
)
def test_a_folder_can_be_called_so(tmp_path: Path, file: str, name: str) -> None:
    (tmp_path / file).write_text(keys())
    assert load_tournament(tmp_path / file).name == name


def test_notes(tmp_path: Path) -> None:
    (uneven,) = tournament_with(tmp_path, deals="10").notes
    assert "'deals: 12' would be better than 10" in uneven
    (short,) = tournament_with(tmp_path, seed="7").notes
    assert "short enough to be guessed" in short
    (few,) = tournament_with(tmp_path, seats="all").notes
    assert few == "There are 4 bots: tables of 3 and 4, none of 5, 6, 7 and 8."
    assert tournament_with(tmp_path, deals="10", seating="random").notes == ()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"deals": "many"}, "$.deals: expected int, got str; it takes a whole number from 1"),
        ({"deals": "0"}, "$.deals: expected int >= 1; it takes a whole number from 1"),
        ({"deals": "1.5"}, "$.deals: expected int, got float; it takes a whole number"),
        ({"deals": "yes"}, "$.deals: expected int, got bool; it takes a whole number"),
        ({"chunk": "5000"}, "$.chunk: expected int <= 4096; it takes a whole number from 1 to"),
        ({"name": "../up"}, "$.name: that cannot be taken; it takes letters, digits"),
        ({"name": "7"}, "$.name: expected str | null, got int; it takes letters"),
        ({"seed": "2024-05-01"}, "$.seed: expected int | str | null, got date; it takes any text"),
        ({"seed": "''"}, "$.seed: it is empty; it takes any text"),
        ({"seed": "0x" + "f" * 5000}, "$.seed: nobody could write it down"),
        (
            {"seats": "four"},
            "$.seats: there is no 'four'; it takes a number, a list such as [3, 4]",
        ),
        ({"seats": "[]"}, "$.seats: expected array of length >= 1; it takes a number"),
        ({"seats": "[3, x]"}, "$.seats[1]: expected int, got str; it takes a number"),
        ({"seats": "5"}, "$.bots: 4 bots cannot fill 5 seats; name more, or one of them again"),
        ({"seats": "[4, 9]"}, "$.seats[1]: sticheln is played by 3 to 8, not by 9; take out one"),
        (
            {"seats": "[3, 4]", "variants": "[sticheln, hat-trick]"},
            "$.seats[0]: hat-trick is played by 4 to 7, not by 3; take out one of the two, or say",
        ),
        ({"seats": "2", "variants": "all"}, "$.seats: no variant here is played by 2"),
        ({"variants": "poker"}, "$.variants: there is no variant 'poker': the games are"),
        ({"variants": "[sticheln, stichel]"}, "$.variants[1]: there is no variant 'stichel'"),
        ({"variants": "[sticheln+milt]"}, "did you mean 'sticheln+mild'?"),
        ({"variants": "poker*"}, "$.variants: no variant matches 'poker*'; 'arena variants' lists"),
        ({"variants": "3"}, "$.variants: expected str | array, got int; it takes a name or a list"),
        ({"variants": "[]"}, "$.variants: expected array of length >= 1; it takes a name"),
        ({"bots": "random"}, "$.bots: expected array, got str; it takes a list of folders"),
        ({"bots": "[]"}, "$.bots: expected array of length >= 1; it takes a list"),
        ({"bots": "[random, 3]"}, "$.bots[1]: expected str | object, got int; it takes a list"),
        ({"bots": "[{as: x}]"}, "$.bots[0].bot: the key is missing; it takes a list of folders"),
        ({"bots": "[{bot: random, as: '/'}]"}, "$.bots[0].as: that cannot be taken; it takes lett"),
        (
            {"bots": "[{bot: random, is: x}]"},
            "$.bots[0]: there is no key 'is'; the keys are bot, as",
        ),
        ({"bots": "[{bto: random}]"}, "$.bots[0]: there is no key 'bto'; did you mean 'bot'?"),
        ({"bots": "[{ladder: random}]"}, "$.bots[0]: write 'ladder:random', without a space"),
        (
            {"seating": "fair"},
            "$.seating: there is no 'fair'; it takes balanced, all, rotations or",
        ),
        (
            {"tables": "some"},
            "$.tables: there is no 'some'; it takes all, adaptive, {gauntlet: BOT}",
        ),
        ({"tables": "{smaple: 3}"}, "$.tables: there is no key 'smaple'; did you mean 'sample'?"),
        ({"tables": "{sample: 0}"}, "$.tables.sample: expected int >= 1; it takes a whole number"),
        ({"tables": "{}"}, "$.tables: it takes one of all, adaptive"),
        ({"tables": "{sample: 3, adaptive: 4}"}, "$.tables: it takes one of all, adaptive"),
        ({"tables": "{gauntlet: hihgest}"}, "no bot 'hihgest' takes part; did you mean 'highest'?"),
        ({"clock": "fast"}, "$.clock: there is no 'fast'; it takes none, or any of start"),
        ({"clock": "{mvoe: 3}"}, "$.clock: there is no key 'mvoe'; did you mean 'move'?"),
        (
            {"clock": "{move: soon}"},
            "$.clock.move: expected float, got str; it takes a number of sec",
        ),
        ({"clock": "{move: -1}"}, "$.clock.move: expected float >= 0.0; it takes a number of sec"),
        ({"clock": "{move: .inf}"}, "$.clock.move: inf is no time; it takes a number of seconds"),
        (
            {"clock": "{bank: .nan}"},
            "$.clock.bank: expected float >= 0.0; it takes a number of sec",
        ),
        ({"faults": "kind"}, "$.faults: there is no 'kind'; it takes strict, stand-in or forfeit"),
        ({"faults": "{policy: kind}"}, "$.faults.policy: there is no 'kind'; it takes strict"),
        ({"faults": "{retire: 0}"}, "$.faults.retire: expected int >= 1; it takes a whole number"),
        (
            {"workers": "none"},
            "$.workers: there is no 'none'; it takes a whole number from 1, or all",
        ),
        ({"workers": "0"}, "$.workers: expected int >= 1; it takes a whole number"),
        ({"anonymous": "maybe"}, "$.anonymous: expected bool, got str; it takes true or false"),
        ({"rating": "score"}, "$.rating: expected object, got str; it takes standing and anchors"),
        (
            {"rating": "{standing: luck}"},
            "$.rating.standing: there is no 'luck'; it takes score or",
        ),
        (
            {"rating": "{anchors: [nobody]}"},
            "$.rating.anchors[0]: no bot 'nobody' takes part; there",
        ),
        ({"sandbox": "strong"}, "$.sandbox: there is no 'strong'; it takes strict, standard or"),
        ({"sandbox": "{level: strong}"}, "$.sandbox.level: there is no 'strong'; it takes strict,"),
        ({"sandbox": "{memory: 2}"}, "$.sandbox.memory: expected int >= 16; it takes a whole"),
        ({"sandbox": "{memry: 64}"}, "$.sandbox: there is no key 'memry'; did you mean 'memory'?"),
        ({"sandbox": "{waiting: idle}"}, "$.sandbox.waiting: there is no 'idle'; it takes charged"),
        ({"sandbox": "{level: none, memory: 64}"}, "$.sandbox: resource limits need a sandbox"),
        (
            {"sandbox": "{level: strict, waiting: charged}"},
            "$.sandbox.waiting: 'strict' stops bots",
        ),
        ({"stop": "order"}, "$.stop: expected object | null, got str; it takes {when: order, conf"),
        ({"stop": "{confidence: 0.9}"}, "$.stop.when: the key is missing; it takes order"),
        (
            {"stop": "{when: order, confidence: 95}"},
            "$.stop.confidence: expected float < 1.0; it t",
        ),
        ({"backend": "dask"}, "$.backend: there is no 'dask'; it takes local, or a cluster such"),
        ({"backend": "{}"}, "$.backend.dask: the key is missing; it takes the address of a sch"),
        ({"backend": "{daks: host}"}, "$.backend: there is no key 'daks'; did you mean 'dask'?"),
        ({"backend": "{dask: 7}"}, "$.backend.dask: expected str | object, got int; it takes the"),
        ({"backend": "{dask: ''}"}, "$.backend.dask: "),
        ({"backend": "[{dask: host}]"}, "$.backend: expected str | object, got array; it takes"),
        (
            {"backend": "{dask: {scheduler: host, crt: x}}"},
            "$.backend.dask: there is no key 'crt'; did you mean 'cert'?",
        ),
        (
            {"backend": "{dask: {scheduler: host, zzz: x}}"},
            "$.backend.dask: there is no key 'zzz'; the keys are scheduler, ca, cert, key, replay",
        ),
        (
            {"backend": "{dask: {ca: x}}"},
            "$.backend.dask.scheduler: the key is missing; it takes an address such as tcp://HOST",
        ),
        (
            {"backend": "{dask: {scheduler: host, ca: 7}}"},
            "$.backend.dask.ca: expected str | null, got int; it takes a file with the cert",
        ),
        ({"daels": "3"}, "there is no key 'daels'; did you mean 'deals'?"),
        ({"zzz": "3"}, "there is no key 'zzz'; the keys are name, seed, variants"),
    ],
)
def test_wrong_values_are_rejected(tmp_path: Path, other: dict[str, str], said: str) -> None:
    file = write_file(tmp_path, keys(**other))
    with pytest.raises(BadTournament) as error:
        load_tournament(file)
    assert str(error.value).startswith(f"{file}: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("key", LEAST)
def test_a_key_that_is_missing(tmp_path: Path, key: str) -> None:
    text = "".join(f"{name}: {value}\n" for name, value in LEAST.items() if name != key)
    with pytest.raises(BadTournament, match=rf"\$\.{key}: the key is missing; it takes a "):
        load_tournament(write_file(tmp_path, text))


def test_all_seatings_of_large_tables_are_refused(tmp_path: Path) -> None:
    bots = "[random, lowest, highest, first-legal, ducker, last-legal]"
    with pytest.raises(BadTournament, match=r"\$\.seating: all permutations are for tables of at"):
        tournament_with(tmp_path, seating="all", seats="6", bots=bots)
    assert tournament_with(tmp_path, seating="all", seats="5", bots=bots).seating == "all"


def test_more_adaptive_tables_than_can_be_chosen_are_refused(tmp_path: Path) -> None:
    many = ", ".join(f"{{bot: random, as: r{number}}}" for number in range(30))
    with pytest.raises(BadTournament, match=r"there are 5,852,925 tables of 8, too many to choose"):
        tournament_with(tmp_path, tables="adaptive", seats="8", bots=f"[{many}]")
    assert tournament_with(tmp_path, tables="all", seats="8", bots=f"[{many}]").tables == "all"


def test_seats_that_only_some_variants_of_a_pattern_have_are_left_out(tmp_path: Path) -> None:
    found = tournament_with(tmp_path, variants="all", seats="3")
    assert Cell("was-sticht", 3) in found.cells
    assert "hat-trick" not in {cell.variant for cell in found.cells}
    with pytest.raises(BadTournament, match="hat-trick is played by 4 to 7, not by 3"):
        tournament_with(tmp_path, variants="[all, hat-trick]", seats="3")


@pytest.mark.slow
@pytest.mark.parametrize(
    "file",
    [
        pytest.param(file, marks=[pytest.mark.soak] if file.stem == "languages" else [])
        for file in sorted((ROOT / "tournaments").glob("*.yaml"))
    ],
    ids=lambda file: file.stem,
)
def test_the_tournaments_that_come_with_the_program(
    file: Path, shared_build_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in yaml.safe_load(file.read_text())["bots"]:
        require_kit(name)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared_build_cache))
    try:
        assert load_tournament(file, network=True).cells
    except BadTournament as error:
        if not UNREACHABLE.search(str(error)):
            raise
        skip_or_fail(str(error))


def test_a_cluster(tmp_path: Path) -> None:
    assert tournament_with(tmp_path).cluster is None
    assert tournament_with(tmp_path, backend="local").cluster is None
    found = tournament_with(tmp_path, backend="{dask: host}")
    assert found.cluster == SchedulerAddress("tcp://host:8786")
    assert found.settings() == tournament_with(tmp_path).settings(), (
        "wherever it is played, it is the same run"
    )
    file = write_file(tmp_path, keys(backend="{dask: host}"))
    assert load_tournament(file, on="local").cluster is None
    assert load_tournament(file, on="tls://other:1").cluster == SchedulerAddress("tls://other:1")
    (tmp_path / "s.json").touch()
    beside = tournament_with(tmp_path, backend="{dask: s.json}").cluster
    assert beside == SchedulerAddress(str(tmp_path / "s.json"))


def test_bots_that_a_cluster_plays_are_not_built_here(tmp_path: Path) -> None:
    place = tmp_path / "fox"
    place.mkdir()
    (place / "bot.yaml").write_text("name: fox\nrun: [./made]\nbuild: [no-such-compiler]\n")
    bots = "[random, lowest, highest, fox]"
    found = tournament_with(tmp_path, bots=bots, backend="{dask: host}")
    assert {bot.argv for bot in found.bots} == {()}
    with pytest.raises(BadTournament, match="is built by no-such-compiler"):
        tournament_with(tmp_path, bots=bots)


@pytest.mark.parametrize(
    ("asked", "level", "stopped"),
    [
        (None, SandboxLevel.STANDARD, False),
        ("none", SandboxLevel.NONE, False),
        ("strict", SandboxLevel.STRICT, True),
        ("{waiting: stopped}", SandboxLevel.STANDARD, True),
    ],
)
def test_the_walls_of_a_cluster_are_only_asked_for(
    tmp_path: Path, asked: str | None, level: SandboxLevel, stopped: bool
) -> None:
    """Those of this machine do not matter, and what is not said is no reason for less."""
    other = {"sandbox": asked} if asked else {}
    sandbox = tournament_with(tmp_path, backend="{dask: host}", **other).referee_config.sandbox
    assert (sandbox.level, sandbox.stops_idle_bots) == (level, stopped)
    assert sandbox.support is None


@pytest.mark.parametrize("named", ["a b", "none.json"])
def test_an_invalid_address_is_reported_with_its_key(tmp_path: Path, named: str) -> None:
    file = write_file(tmp_path, keys(backend=f"{{dask: {named}}}"))
    with pytest.raises(BadTournament) as error:
        load_tournament(file)
    assert str(error.value).startswith(f"{file}: $.backend: ")
