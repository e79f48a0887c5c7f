"""Where a cluster is: addresses in full, files beside the one that names them, or a sentence."""

import json
from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.tournaments.config.keys import BackendKeys, DaskKeys
from arena.tournaments.config.scheduler_address import (
    SchedulerAddress,
    exposure_warning,
    find_scheduler,
)
from arena.tournaments.config.yaml_file import BadTournament

NOWHERE = Path("/nowhere/friday.yaml")


@pytest.mark.parametrize(
    ("named", "meant"),
    [
        ("tcp://host:1234", "tcp://host:1234"),
        ("tcp://host", "tcp://host:8786"),
        ("host", "tcp://host:8786"),
        ("host.example.org:1", "tcp://host.example.org:1"),
        ("tls://10.0.0.1:8786", "tls://10.0.0.1:8786"),
        ("[::1]", "tcp://[::1]:8786"),
        ("tls://[fe80::1]:99", "tls://[fe80::1]:99"),
        ("ws://host-1_a", "ws://host-1_a:8786"),
        ("localhost", "tcp://localhost:8786"),
    ],
)
def test_addresses(named: str, meant: str) -> None:
    for found in (
        find_scheduler(named, "local", NOWHERE),
        find_scheduler(None, BackendKeys(dask=named), NOWHERE),
        find_scheduler(None, BackendKeys(dask=DaskKeys(scheduler=named)), NOWHERE),
    ):
        assert found == SchedulerAddress(meant)
        assert not found.is_file


RUBBISH = [
    "",
    " ",
    "host 1",
    " host",
    "host\n",
    "tcp://",
    "tcp:/host",
    "http://host:8786",
    "inproc://1/2",
    "host:",
    "host:port",
    ":8786",
    "host:123456",
    "tcp://host:8786/path",
    "user@host",
    "tcp://a b",
    "::1",
    "[::1",
    "host:1:2",
    "\x1b[31mhost",
    "host;ls",
    "host\0",
    "host:99999",
    "host:0",
    "host:８７８６",
    "...",
    "-",
]


@pytest.mark.parametrize("named", RUBBISH, ids=ascii)
def test_invalid_addresses(named: str) -> None:
    with pytest.raises(ArenaError) as error:
        find_scheduler(named, "local", NOWHERE)
    said = str(error.value)
    assert said.startswith(f"{named!r} is no address of a Dask scheduler; say tcp://HOST:8786, ")
    assert "\n" not in said
    assert "\x1b" not in said


def test_this_machine() -> None:
    assert find_scheduler(None, "local", NOWHERE) is None
    assert find_scheduler("local", "local", NOWHERE) is None
    assert find_scheduler("local", BackendKeys(dask="host"), NOWHERE) is None


def test_the_command_line_overrides_the_file() -> None:
    assert find_scheduler("one", BackendKeys(dask="two"), NOWHERE) == SchedulerAddress(
        "tcp://one:8786"
    )


def test_a_file_of_a_scheduler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
        (folder / "s.json").touch()
    monkeypatch.chdir(here)
    named = find_scheduler("s.json", "local", there / "friday.yaml")
    assert named == SchedulerAddress("s.json"), (
        "what is said on a command line is meant from where one is"
    )
    assert named.is_file
    assert find_scheduler(
        None, BackendKeys(dask="s.json"), there / "friday.yaml"
    ) == SchedulerAddress(str(there / "s.json"))
    whole = str(here / "s.json")
    assert find_scheduler(None, BackendKeys(dask=whole), there / "friday.yaml") == SchedulerAddress(
        whole
    )


@pytest.mark.parametrize("named", ["none.json", "folder.json", "tcp://host/x.json", "a" * 300])
def test_a_missing_file(tmp_path: Path, named: str) -> None:
    (tmp_path / "folder.json").mkdir()
    file = tmp_path / "friday.yaml"
    named = named if named.endswith(".json") else f"{named}.json"
    with pytest.raises(BadTournament) as error:
        find_scheduler(None, BackendKeys(dask=named), file)
    said = f"{file}: $.backend: {tmp_path / named} does not exist; start the scheduler with 'dask "
    assert str(error.value).startswith(said)


def test_an_invalid_key_is_reported_with_its_file() -> None:
    with pytest.raises(BadTournament) as error:
        find_scheduler(None, BackendKeys(dask="a b"), NOWHERE)
    assert str(error.value).startswith(f"{NOWHERE}: $.backend: 'a b' is no address of a Dask ")


def certified(folder: Path, scheduler: str = "tls://host") -> BackendKeys:
    """A cluster with certificates that are there."""
    for name in ("ca.pem", "cert.pem", "key.pem"):
        (folder / name).touch()
    return BackendKeys(
        dask=DaskKeys(scheduler=scheduler, ca="ca.pem", cert="cert.pem", key="key.pem")
    )


def test_certificates(tmp_path: Path) -> None:
    key, file = certified(tmp_path), tmp_path / "friday.yaml"
    tls = {
        "tls_ca_file": str(tmp_path / "ca.pem"),
        "tls_client_cert": str(tmp_path / "cert.pem"),
        "tls_client_key": str(tmp_path / "key.pem"),
    }
    assert find_scheduler(None, key, file) == SchedulerAddress("tls://host:8786", tls)
    assert find_scheduler("tls://other", key, file) == SchedulerAddress("tls://other:8786", tls)
    only = BackendKeys(dask=DaskKeys(scheduler="tls://host", ca="ca.pem"))
    assert find_scheduler(None, only, file) == SchedulerAddress(
        "tls://host:8786", {"tls_ca_file": tls["tls_ca_file"]}
    )


@pytest.mark.parametrize("missing", ["ca", "cert", "key"])
def test_a_missing_certificate(tmp_path: Path, missing: str) -> None:
    key, file = certified(tmp_path), tmp_path / "friday.yaml"
    gone = tmp_path / f"{missing}.pem"
    gone.unlink()
    said = f"{gone} does not exist; 'backend.dask.{missing}' names it"
    with pytest.raises(BadTournament) as error:
        find_scheduler(None, key, file)
    assert str(error.value) == f"{file}: $.backend: {said}"
    with pytest.raises(ArenaError) as other:
        find_scheduler("tls://other", key, file)
    assert str(other.value) == said
    assert find_scheduler("local", key, file) is None, "this machine needs none"


def test_a_certificate_with_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    told = DaskKeys(scheduler="host", ca="a" * 300)
    with pytest.raises(BadTournament, match=r"aaa does not exist; 'backend\.dask\.ca' names it"):
        find_scheduler(None, BackendKeys(dask=told), tmp_path / "friday.yaml")


def test_certificates_imply_tls(tmp_path: Path) -> None:
    file = tmp_path / "friday.yaml"
    for found in (
        find_scheduler(None, certified(tmp_path, "host"), file),
        find_scheduler("host", certified(tmp_path), file),
    ):
        assert found is not None
        assert (found.location, len(found.tls)) == ("tls://host:8786", 3)
    said = "tcp://host:8786 asks for no certificates; say tls:// or leave them out"
    with pytest.raises(BadTournament) as error:
        find_scheduler(None, certified(tmp_path, "tcp://host"), file)
    assert str(error.value) == f"{file}: $.backend: {said}"
    with pytest.raises(ArenaError) as other:
        find_scheduler("tcp://host", certified(tmp_path), file)
    assert str(other.value) == said


def test_the_share_of_replayed_games() -> None:
    plain = BackendKeys(dask="host")
    half = BackendKeys(dask=DaskKeys(scheduler="host", replay=0.5))
    for on, key, share in (
        (None, plain, 0.02),
        ("other", "local", 0.02),
        (None, half, 0.5),
        ("other", half, 0.5),
    ):
        found = find_scheduler(on, key, NOWHERE)
        assert found is not None
        assert found.replay_share == share


@pytest.mark.parametrize(
    ("place", "warned"),
    [
        ("tcp://127.0.0.1:8786", False),
        ("ws://127.9.9.9:8786", False),
        ("tcp://[::1]:8786", False),
        ("tcp://localhost:8786", False),
        ("tcp://192.0.2.1:8786", True),
        ("ws://192.0.2.1:8786", True),
        ("ucx://192.0.2.1:8786", True),
        ("tcp://[2001:db8::1]:8786", True),
        ("tcp://no-such-host.invalid:8786", True),
        ("tls://192.0.2.1:8786", False),
        ("wss://192.0.2.1:8786", False),
    ],
)
def test_schedulers_that_others_can_use(tmp_path: Path, place: str, *, warned: bool) -> None:
    """Neither an address nor the file in which it stands is trusted because it is short."""
    if "localhost" in place and not Path("/etc/hosts").exists():
        pytest.skip("localhost has no address on this machine")
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"type": "Scheduler", "address": place}))
    for told in (
        exposure_warning(SchedulerAddress(place)),
        exposure_warning(SchedulerAddress(str(file))),
    ):
        said = f"{place} asks for no certificates: everyone who reaches this port can run code on"
        assert told.startswith(said) if warned else told == ""


@pytest.mark.parametrize("text", ["", "[]", "{}", "7", '{"address": null}'])
def test_an_empty_scheduler_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "scheduler.json").write_text(text)
    assert "asks for no certificates" in exposure_warning(
        SchedulerAddress(str(tmp_path / "scheduler.json"))
    )
