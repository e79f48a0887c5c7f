"""Bots are found by folder, manifest or script."""

import os
import sys
from pathlib import Path

import pytest

from arena.bots.bot import find
from arena.errors import BadBot


def folder(tmp_path: Path, run: str, more: str = "") -> Path:
    place = tmp_path / "fox"
    place.mkdir()
    (place / "bot.yaml").write_text(f"name: Fox\nrun: {run}\n{more}")
    (place / "fox.py").write_text("#!/usr/bin/env python3\n")
    return place


def test_a_folder(tmp_path: Path) -> None:
    place = folder(tmp_path, "[python3, fox.py, -v]", "games: 3\nmemory: 64\n")
    bot = find(place)
    assert bot == find(place / "bot.yaml")
    assert (bot.name, bot.games, bot.memory) == ("Fox", 3, 64 << 20)
    assert bot.argv == (sys.executable, "fox.py", "-v")
    assert bot.folder == place


def test_a_folder_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder(tmp_path, "[./fox.py]")
    (place / "fox.py").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    bot = find(Path("fox"))
    assert bot.argv == (str(place / "fox.py"),)
    assert bot.folder == place


def test_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "wolf.py"
    script.write_text("")
    monkeypatch.chdir(tmp_path)
    bot = find(Path("wolf.py"))
    assert (bot.name, bot.games, bot.memory) == ("wolf", None, None)
    assert bot.argv == (sys.executable, str(script))
    assert bot.folder == tmp_path
    assert bot.version == find(script).version


def test_one_that_is_only_named(tmp_path: Path) -> None:
    """Where it is played elsewhere, nothing is built here and nothing that runs it is needed."""
    place = folder(tmp_path, "[./made]", "build: [touch, /nowhere/built]\ngames: 3\nmemory: 64\n")
    bot = find(place, None)
    assert (bot.name, bot.games, bot.memory, bot.argv) == ("Fox", 3, 64 << 20, ())
    assert (bot.folder, bot.home) == (place, place)
    assert sorted(path.name for path in place.iterdir()) == ["bot.yaml", "fox.py"]
    (place / "bot.yaml").write_text("name: Fox\nrun: [no-such-thing]\nbuild: [nor-this]\n")
    assert find(place / "bot.yaml", None).version != bot.version


def test_a_script_that_is_only_named(tmp_path: Path) -> None:
    for name in ("wolf.py", "wolf", "wolf.lua"):
        script = tmp_path / name
        script.write_text("#!/usr/bin/env no-such-thing\n")
        bot = find(script, None)
        assert (bot.name, bot.argv, bot.home) == ("wolf", (), script)
        with pytest.raises(BadBot, match="is run by no-such-thing, which is not installed"):
            find(script)


@pytest.mark.parametrize("named", ["random", "./none", "lowst"])
def test_what_is_named_has_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if named == "random":
        assert find(named, None).version == find(named).version
    else:
        with pytest.raises(BadBot, match="does not exist"):
            find(named, None)


def test_a_manifest_is_read_in_any_case(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=r"bot\.yaml: "):
        find(folder(tmp_path, "[]"), None)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("[./wolf]", r"bot.yaml: \$.run: there is no ./wolf$"),
        ("[./fox.py]", r"bot.yaml: \$.run: ./fox.py is not executable; run 'chmod \+x' on it$"),
        ("[no-such-thing, x]", "bot.yaml is run by no-such-thing, which is not installed"),
    ],
)
def test_what_cannot_be_run(tmp_path: Path, run: str, said: str) -> None:
    with pytest.raises(BadBot, match=said):
        find(folder(tmp_path, run))


def test_what_is_no_bot(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=r"has no bot.yaml; write one, or name a script in it"):
        find(tmp_path)
    with pytest.raises(BadBot, match=r"none.py does not exist: a bot is a folder with bot.yaml"):
        find(tmp_path / "none.py")
    with pytest.raises(BadBot, match=r"/dev/null is neither a file nor a folder"):
        find(Path("/dev/null"))


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("./my-pyton", "; did you mean './my-python'?"),
        ("my-pyton", "; did you mean 'my-python'?"),
        ("./my-pyton/", "; did you mean './my-python'?"),
        ("./my-pyton/bot.yaml", "; did you mean './my-python'?"),
        ("../here/wolv.py", "; did you mean '../here/wolf.py'?"),
        ("wolv.py", "; did you mean 'wolf.py'?"),
        ("wolf", "; did you mean 'wolf.py'?"),
        ("./prowl", "; did you mean './prowler'?"),
        ("pyton", "; did you mean 'python'?"),
        ("./pyton", "; did you mean './my-python'?"),
        ("./ducke", "a script or a program$"),
        ("random.py", "a script or a program$"),
        (".random", "a script or a program$"),
        ("./my-notse", "a script or a program$"),
        ("nowhere/wolf.py", "a script or a program$"),
        ("zzz", "; by name there are c, careful, "),
    ],
)
def test_what_may_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, said: str
) -> None:
    """A path is taken for one beside it, only a bare name for one that comes with the program."""
    here = tmp_path / "here"
    for folder in ("my-python", "my-notes"):
        (here / folder).mkdir(parents=True)
    (here / "my-python" / "bot.yaml").touch()
    for script in ("wolf.py", "wolf.txt", "prowler"):
        (here / script).touch()
    (here / "prowler").chmod(0o755)
    monkeypatch.chdir(here)
    with pytest.raises(BadBot, match=said.replace("?", "[?]")):
        find(named)


def test_the_environment_is_made_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("LANG", "de_DE")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("TMPDIR", raising=False)
    environment = find(folder(tmp_path, "[python3, fox.py]")).environment()
    assert set(environment) <= {"PATH", "HOME", "USER", "TZ", "LANG", "PYTHONDONTWRITEBYTECODE"}
    assert environment["PATH"] == os.environ["PATH"]
    assert environment["LANG"] == "C.UTF-8"
    assert environment["TZ"] == "UTC"
