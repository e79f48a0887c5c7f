"""What `ladder.yaml` may say; everything else is one sentence with file and key."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import tzset
from typing import Any

import msgspec
import pytest
import yaml

from arena.bots.sandbox.limits import SandboxLevel
from arena.errors import ArenaError
from arena.ladder import settings
from arena.ladder.settings import (
    KEY_HELP,
    NESTED_KEYS,
    SETTINGS_FILE,
    LadderKeys,
    RetirementKeys,
    load_settings,
    next_time_of_day,
    parse_duration,
    round_up_deals,
)
from arena.ratings.cell import Cell
from arena.tournaments.config.keys import BackendKeys, DaskKeys
from arena.tournaments.config.yaml_file import key_names
from tests.ladder import factories


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("2h", 7200),
        ("90m", 5400),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        (" 45S ", 45),
        ("1d", 86400),
        ("366d", 366 * 86400),
    ],
)
def test_durations(text: str, length: int) -> None:
    assert parse_duration(text) == length


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "2",
        "h",
        "-2h",
        "1.5h",
        "2h!",
        "2h\n3",
        "２h",
        "0s",
        "367d",
        "9" * 5000 + "h",
        "1h" * 9,
    ],
)
def test_invalid_durations(text: str) -> None:
    with pytest.raises(ArenaError, match=r"is no time.* it takes a time such as 2h, 90m or 1h30m$"):
        parse_duration(text)


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Lets the clocks of this machine show the time of another zone."""

    def change(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        tzset()

    yield change
    monkeypatch.undo()
    tzset()


@pytest.mark.parametrize(
    ("name", "now", "text", "then"),
    [
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "06:00", "2030-02-01T06:00:00+01:00"),
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "6:00", "2030-02-01T06:00:00+01:00"),
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "23:31", "2030-01-31T23:31:00+01:00"),
        ("Europe/Berlin", "2030-01-31T23:30:05+01:00", "23:30", "2030-02-01T23:30:00+01:00"),
        ("Europe/Berlin", "2026-10-24T23:00:00+02:00", "06:00", "2026-10-25T06:00:00+01:00"),
        ("Europe/Berlin", "2026-10-25T01:00:00+02:00", "02:30", "2026-10-25T02:30:00+02:00"),
        ("Europe/Berlin", "2026-10-25T02:45:00+02:00", "02:30", "2026-10-25T02:30:00+01:00"),
        ("Europe/Berlin", "2026-10-25T02:45:00+01:00", "02:30", "2026-10-26T02:30:00+01:00"),
        ("Europe/Berlin", "2027-03-27T23:00:00+01:00", "06:00", "2027-03-28T06:00:00+02:00"),
        ("Europe/Berlin", "2027-03-27T23:00:00+01:00", "02:30", "2027-03-28T03:30:00+02:00"),
        ("Europe/Berlin", "2027-03-28T12:00:00+02:00", "02:30", "2027-03-29T02:30:00+02:00"),
        ("America/New_York", "2026-10-31T23:00:00-04:00", "06:00", "2026-11-01T06:00:00-05:00"),
        ("UTC", "2026-10-24T21:00:00+00:00", "06:00", "2026-10-25T06:00:00+00:00"),
    ],
)
def test_until_the_next_time_that_clocks_show_it(
    zone: Callable[[str], None], name: str, now: str, text: str, then: str
) -> None:
    zone(name)
    found = next_time_of_day(text, datetime.fromisoformat(now))
    assert found.isoformat() == then


NOW = datetime(2030, 1, 31, 23, 30, 5, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "6", "24:00", "06:60", "6:0", "06:00:00", "six", "٠6:00"])
def test_invalid_times_of_day(text: str) -> None:
    with pytest.raises(ArenaError, match=r"is no time of day; it takes one such as 06:00$"):
        next_time_of_day(text, NOW)


def settings_with(folder: Path, **changes: Any) -> settings.LadderSettings:
    (folder / SETTINGS_FILE).write_text(factories.ladder_yaml(**changes))
    return load_settings(folder)


def settings_error(folder: Path, text: str | bytes) -> str:
    """The sentence with which a file is refused, without its name."""
    file = folder / SETTINGS_FILE
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ArenaError) as error:
        load_settings(folder)
    said = str(error.value)
    assert "\n" not in said
    assert said.startswith(f"{file}: ")
    return said.removeprefix(f"{file}: ")


def test_default_settings(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text("variants: stick-em\nseats: [3, 4]\nsandbox: none\n")
    found = load_settings(tmp_path)
    assert found.cells == (Cell("stick-em", 3), Cell("stick-em", 4))
    assert found.night_seconds == 7200
    assert found.deals_per_visit == (12, 12), "as many as are asked for are whole designs already"
    assert found.keys.workers == "all"
    assert found.keys.retire == RetirementKeys(share=0.1, games=40)


def test_a_visit_is_a_whole_design(tmp_path: Path) -> None:
    assert [round_up_deals(seats, 1) for seats in (3, 4, 5, 8)] == [1, 3, 2, 7]
    found = settings_with(tmp_path, seats=[3, 4], deals=4)
    assert found.deals_per_visit == (4, 6)
    assert found.games_per_visit == (24, 24)


def test_each_variant_at_the_sizes_it_can_be_played_at(tmp_path: Path) -> None:
    found = settings_with(tmp_path, variants=["stick-em", "sticheln"], seats=[6, 8])
    assert found.cells == (Cell("stick-em", 6), Cell("sticheln", 6), Cell("sticheln", 8))
    twice = settings_with(tmp_path, variants=["stick-em", "stick*"], seats=[3, 3])
    assert twice.cells.count(Cell("stick-em", 3)) == 1
    every = settings_with(tmp_path, seats="all")
    assert [cell.seats for cell in every.cells] == [3, 4, 5, 6]


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no such variant": ({"variants": "skat"}, "$.variants: there is no variant 'skat'"),
    "one of many": ({"variants": ["stick-em", "skat"]}, "$.variants[1]: there is no variant"),
    "no variant": ({"variants": []}, "$.variants: expected array of length >= 1"),
    "a pattern": ({"variants": "skat*"}, "$.variants: no variant matches 'skat*'"),
    "missing": ({"variants": None}, "$.variants: the key is missing; it takes a name or"),
    "no seats": ({"seats": []}, "$.seats: expected array of length >= 1; it takes a number"),
    "seats": ({"seats": 7}, "$.seats: stick-em is played by 3 to 6, and only 7 are asked for"),
    "a slip": ({"seats": [3, 33]}, "$.seats: no variant here is played by 33"),
    "words": ({"seats": "three"}, "$.seats: there is no 'three'; it takes a number"),
    "no deals": ({"deals": 0}, "$.deals: expected int >= 1; it takes a whole number from 1"),
    "half a deal": ({"deals": 1.5}, "$.deals: expected int, got float"),
    "name": ({"name": "a/b"}, "$.name: that cannot be taken; it takes letters, digits"),
    "name of lines": ({"name": "a\nb"}, "$.name: that cannot be taken"),
    "night": ({"night": "long"}, "$.night: 'long' is no time; it takes a time such as 2h"),
    "no unit": ({"night": 2}, "$.night: expected str, got int; it takes how long"),
    "digits": ({"night": "9" * 5000 + "h"}, "$.night: '999"),
    "clock": ({"clock": "none"}, "$.clock: expected object, got str; it takes any of start"),
    "clock key": ({"clock": {"mov": 1}}, "$.clock: there is no key 'mov'; did you mean 'move'?"),
    "clock, negative": ({"clock": {"move": -1}}, "$.clock.move: expected float >= 0"),
    "clock, endless": ({"clock": {"wall": float("inf")}}, "$.clock.wall: it takes a number of"),
    "clock, nan": ({"clock": {"bank": float("nan")}}, "$.clock.bank: expected float >= 0"),
    "sandbox": ({"sandbox": "off"}, "$.sandbox: there is no 'off'; it takes strict, standard"),
    "sandbox, yes": ({"sandbox": True}, "$.sandbox: expected str | object, got bool"),
    "limits": (
        {"sandbox": {"level": "none", "memory": 64}},
        "$.sandbox: resource limits need a sandbox",
    ),
    "workers": ({"workers": 0}, "$.workers: expected int >= 1; it takes a whole number"),
    "standing": ({"standing": "points"}, "$.standing: there is no 'points'; it takes score or"),
    "share": ({"retire": {"share": 1.1}}, "$.retire.share: expected float <= 1.0; it takes the"),
    "share, nan": ({"retire": {"share": float("nan")}}, "$.retire.share: expected float"),
    "games": ({"retire": {"games": 0}}, "$.retire.games: expected int >= 1; it takes a whole"),
    "placement": ({"placement": 60}, "$.placement: expected object, got int; it takes games, "),
    "size": ({"submissions": {"size": 0}}, "$.submissions.size: expected int >= 1; it takes"),
    "network": ({"submissions": {"build_network": "no"}}, "$.submissions.build_network: expected"),
    "backend": ({"backend": "dask"}, "$.backend: there is no 'dask'; it takes local, or a"),
    "backend, none": ({"backend": {}}, "$.backend.dask: the key is missing; it takes the address"),
    "backend key": ({"backend": {"dusk": "x"}}, "$.backend: there is no key 'dusk'; did you mean"),
    "cluster key": (
        {"backend": {"dask": {"scheduler": "host", "kee": "x"}}},
        "$.backend.dask: there is no key 'kee'; did you mean 'key'?",
    ),
    "scheduler": (
        {"backend": {"dask": {"key": "x"}}},
        "$.backend.dask.scheduler: the key is missing; it takes an address such as tcp://HOST",
    ),
    "keep": ({"keep": {"logs": 0}}, "$.keep.logs: expected int >= 1; it takes a whole number"),
    "key": ({"dealz": 3}, "there is no key 'dealz'; did you mean 'deals'?"),
    "key of tournaments": ({"bots": ["random"]}, "there is no key 'bots'; "),
}


@pytest.mark.parametrize(("changes", "said"), WRONG.values(), ids=WRONG.keys())
def test_errors_name_the_key(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    assert settings_error(tmp_path, factories.ladder_yaml(**changes)).startswith(said)


GARBAGE = {
    "nothing": b"",
    "a list": b"- variants\n",
    "a word": b"ladder",
    "no YAML": b"variants: [stick-em\n",
    "tabs": b"\tvariants: all\n",
    "bytes": b"\xff\xfe\x00variants",
    "a program": b"variants: !!python/object/apply:os.system [echo]\n",
    "twice": b"variants: all\nseats: 3\nseats: 4\n",
    "itself": b"variants: &a [*a]\nseats: 3\n",
    "a bomb": b"a: &a [x, x]\nb: &b [*a, *a]\nvariants: *b\nseats: 3\n",
}


@pytest.mark.parametrize("text", GARBAGE.values(), ids=GARBAGE.keys())
def test_garbage(tmp_path: Path, text: bytes) -> None:
    assert settings_error(tmp_path, text)


def test_folders_that_are_not_ladders(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "none", tmp_path / ("a" * 300)):
        with pytest.raises(ArenaError) as error:
            load_settings(folder)
        assert str(error.value).startswith(str(folder))
    (tmp_path / SETTINGS_FILE).mkdir()
    with pytest.raises(ArenaError, match=r"is not a ladder: it has no ladder.yaml; make one with"):
        load_settings(tmp_path)


def test_every_key_is_explained() -> None:
    inner = {f"{key}.{name}" for key, kind in NESTED_KEYS.items() for name in key_names(kind)}
    assert {*key_names(LadderKeys), *inner} <= KEY_HELP.keys()


def test_the_operator_may_name_another_sandbox(tmp_path: Path) -> None:
    (tmp_path / SETTINGS_FILE).write_text(yaml.safe_dump(factories.KEYS | {"sandbox": "standard"}))
    assert (
        load_settings(tmp_path, SandboxLevel.NONE).referee_config.sandbox.level is SandboxLevel.NONE
    )


def test_as_a_tournament(tmp_path: Path) -> None:
    found = settings_with(tmp_path, standing="placement", workers=3).tournament(
        (), (), ("a v1",), "seed"
    )
    assert found.rating.standing == "placement"
    assert found.rating.anchors == ("a v1",)
    assert found.workers == 3
    assert found.seating == "balanced"


def test_backends(tmp_path: Path) -> None:
    assert settings_with(tmp_path).keys.backend == "local"
    assert settings_with(tmp_path, backend={"dask": "host"}).keys.backend == BackendKeys(
        dask="host"
    )
    whole = {"scheduler": "tls://host", "ca": "a", "cert": "b", "key": "c", "replay": 0.5}
    found = settings_with(tmp_path, backend={"dask": whole}, workers=3)
    assert found.keys.backend == BackendKeys(dask=msgspec.convert(whole, DaskKeys))
    assert found.workers == 3
    assert found.tournament((), (), (), "seed").cluster is None, "a night says where it is played"
    assert settings_with(tmp_path, workers="all").workers is None
