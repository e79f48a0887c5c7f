"""Bots are found by folder, manifest or script."""

import os
import sys
from pathlib import Path

import pytest

from arena.bots.bot import load_bot
from arena.bots.build import UNSANDBOXED_BUILDS, BuildSettings
from arena.errors import BadBot


def folder(tmp_path: Path, run: str, more: str = "") -> Path:
    place = tmp_path / "fox"
    place.mkdir()
    (place / "bot.yaml").write_text(f"name: Fox\nrun: {run}\n{more}")
    (place / "fox.py").write_text("#!/usr/bin/env python3\n")
    return place


def test_a_folder(tmp_path: Path) -> None:
    place = folder(tmp_path, "[python3, fox.py, -v]", "games: 3\nmemory: 64\n")
    bot = load_bot(place)
    assert bot == load_bot(place / "bot.yaml")
    assert (bot.name, bot.games, bot.memory) == ("Fox", 3, 64 << 20)
    assert bot.argv == (sys.executable, "fox.py", "-v")
    assert bot.folder == place


def test_a_folder_by_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder(tmp_path, "[./fox.py]")
    (place / "fox.py").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    bot = load_bot(Path("fox"))
    assert bot.argv == (str(place / "fox.py"),)
    assert bot.folder == place


def test_a_script(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script = tmp_path / "wolf.py"
    script.write_text("")
    monkeypatch.chdir(tmp_path)
    bot = load_bot(Path("wolf.py"))
    assert (bot.name, bot.games, bot.memory) == ("wolf", None, None)
    assert bot.argv == (sys.executable, str(script))
    assert bot.folder == tmp_path
    assert bot.version == load_bot(script).version


def test_a_bot_that_is_built_elsewhere(tmp_path: Path) -> None:
    """Where it is played elsewhere, nothing is built here and nothing that runs it is needed."""
    place = folder(tmp_path, "[./made]", "build: [touch, /nowhere/built]\ngames: 3\nmemory: 64\n")
    bot = load_bot(place, None)
    assert (bot.name, bot.games, bot.memory, bot.argv) == ("Fox", 3, 64 << 20, ())
    assert (bot.folder, bot.path) == (place, place)
    assert sorted(path.name for path in place.iterdir()) == ["bot.yaml", "fox.py"]
    (place / "bot.yaml").write_text("name: Fox\nrun: [no-such-thing]\nbuild: [nor-this]\n")
    assert load_bot(place / "bot.yaml", None).version != bot.version


def test_a_script_that_runs_elsewhere(tmp_path: Path) -> None:
    for name in ("wolf.py", "wolf", "wolf.lua"):
        script = tmp_path / name
        script.write_text("#!/usr/bin/env no-such-thing\n")
        bot = load_bot(script, None)
        assert (bot.name, bot.argv, bot.path) == ("wolf", (), script)
        with pytest.raises(BadBot, match="is run by no-such-thing, which is not installed"):
            load_bot(script)


@pytest.mark.parametrize("named", ["random", "./none", "lowst"])
def test_a_named_bot_must_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    monkeypatch.chdir(tmp_path)
    if named == "random":
        assert load_bot(named, None).version == load_bot(named).version
    else:
        with pytest.raises(BadBot, match="does not exist"):
            load_bot(named, None)


def test_a_manifest_is_read_in_any_case(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=r"bot\.yaml: "):
        load_bot(folder(tmp_path, "[]"), None)


@pytest.mark.parametrize(
    ("run", "text"),
    [
        ("[./wolf]", r"bot.yaml: \$.run: there is no ./wolf$"),
        ("[./fox.py]", r"bot.yaml: \$.run: ./fox.py is not executable; run 'chmod \+x' on it$"),
        ("[no-such-thing, x]", "bot.yaml is run by no-such-thing, which is not installed"),
    ],
)
def test_programs_that_cannot_be_run(tmp_path: Path, run: str, text: str) -> None:
    with pytest.raises(BadBot, match=text):
        load_bot(folder(tmp_path, run))


OUTSIDE = "is outside the bot's folder; name a program in the folder or one on PATH"


def hostile(tmp_path: Path) -> None:
    """Programs beside a bot's folder, and links to them from within it."""
    bot = tmp_path / "fox"
    program = tmp_path / "private" / "bin" / "tool"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nexec "$@"\n')
    program.chmod(0o755)
    (bot / "link").symlink_to(program)
    (bot / "relative").symlink_to("../private/bin/tool")
    (bot / "again").symlink_to("link")
    (bot / "nowhere").symlink_to(tmp_path / "private" / "none")
    (bot / "loop").symlink_to("../loop")
    (tmp_path / "loop").symlink_to("loop")
    (bot / "folder").symlink_to(program.parent)
    (bot / "sub").mkdir()
    (tmp_path / "foxes").mkdir()
    (tmp_path / "foxes" / "tool").symlink_to(program)


NAMES = (
    "/etc/shadow",
    "/no/such/program",
    "{}/private/bin/tool",
    "{}/private/bin/none",
    "../private/bin/tool",
    "../private/bin/none",
    "../foxes/tool",
    "sub/../../private/bin/tool",
    "none/../../private/bin/tool",
    "./../fox/../private/bin/tool",
    "./link",
    "./relative",
    "./again",
    "./nowhere",
    "./loop",
    "folder/tool",
    "folder/none",
    "../",
    "/",
)


@pytest.mark.parametrize("settings", [UNSANDBOXED_BUILDS, None])
@pytest.mark.parametrize("name", NAMES)
def test_a_program_outside_the_folder(
    tmp_path: Path, name: str, settings: BuildSettings | None
) -> None:
    """The same is said of what exists and of what does not."""
    named = name.format(tmp_path)
    place = folder(tmp_path, f"['{named}', x]")
    hostile(tmp_path)
    with pytest.raises(BadBot) as error:
        load_bot(place, settings)
    assert str(error.value) == f"{place}/bot.yaml: $.run: {named} {OUTSIDE}"


@pytest.mark.parametrize("name", NAMES)
def test_a_build_by_a_program_outside_the_folder(tmp_path: Path, name: str) -> None:
    named = name.format(tmp_path)
    place = folder(tmp_path, "[python3, fox.py]", f"build: ['{named}']\n")
    hostile(tmp_path)
    with pytest.raises(BadBot) as error:
        load_bot(place, BuildSettings(builds_folder=tmp_path / "builds"))
    assert str(error.value) == f"{place}/bot.yaml: $.build: {named} {OUTSIDE}"
    assert not (tmp_path / "builds").exists(), "nothing was begun"


@pytest.mark.parametrize("name", ["./main", "sub/../main", "{}/fox/main", "./inner", "sub/twice"])
def test_a_program_inside_the_folder(tmp_path: Path, name: str) -> None:
    named = name.format(tmp_path)
    place = folder(tmp_path, f"['{named}']")
    hostile(tmp_path)
    (place / "main").write_text("#!/bin/sh\n")
    (place / "main").chmod(0o755)
    (place / "inner").symlink_to("main")
    (place / "sub" / "twice").symlink_to(place / "inner")
    assert load_bot(place).argv == (str(place / named),)


def test_arguments_may_be_any_paths(tmp_path: Path) -> None:
    place = folder(tmp_path, "[python3, /etc/shadow, ../fox]")
    assert load_bot(place).argv[1:] == ("/etc/shadow", "../fox")


MADE = {
    "a link": "ln -s {}/private/bin/tool made",
    "a link to a link": "ln -s {}/private/bin/tool a; ln -s a made",
    "a relative link": "ln -s ../../../../../../../../../..{}/private/bin/tool made",
    "a link to nothing": "ln -s {}/private/none made",
    "a link to a program of the system": "ln -s /bin/sh made",
}


@pytest.mark.parametrize("script", MADE.values(), ids=MADE.keys())
def test_a_build_that_makes_a_link_out_of_the_folder(tmp_path: Path, script: str) -> None:
    place = folder(tmp_path, "[./made]", "build: [sh, build.sh]\n")
    (place / "build.sh").write_text(script.format(tmp_path))
    hostile(tmp_path)
    with pytest.raises(BadBot) as error:
        load_bot(place, BuildSettings(builds_folder=tmp_path / "builds"))
    assert str(error.value) == f"{place}/bot.yaml: $.run: ./made {OUTSIDE}"


def test_a_build_by_a_link_into_the_folder_that_is_copied(tmp_path: Path) -> None:
    """It leads to the source, which is outside of the copy."""
    place = folder(tmp_path, "[python3, fox.py]", "build: [./maker]\n")
    (place / "maker").symlink_to(place / "fox.py")
    (place / "fox.py").chmod(0o755)
    with pytest.raises(BadBot, match=r"cannot be run: \./maker is outside the bot's folder"):
        load_bot(place, BuildSettings(builds_folder=tmp_path / "builds"))


@pytest.mark.parametrize("name", ["{}/private/bin/tool", "{}/private/bin/none", "../private/tool"])
@pytest.mark.parametrize("env", ["", "/usr/bin/env "])
def test_a_shebang_does_not_reveal_whether_a_file_exists(
    tmp_path: Path, name: str, env: str
) -> None:
    """The same is said of what exists and of what does not."""
    folder(tmp_path, "[x]")
    hostile(tmp_path)
    named = name.format(tmp_path)
    script = tmp_path / "wolf.py"
    script.write_text(f"#!{env}{named}\n")
    with pytest.raises(BadBot) as error:
        load_bot(script)
    text = f"{script} is run by {named}, which is not installed or not on the PATH"
    assert str(error.value) == text


def test_paths_that_are_not_bots(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=r"has no bot.yaml; write one, or name a script in it"):
        load_bot(tmp_path)
    with pytest.raises(BadBot, match=r"none.py does not exist: a bot is a folder with bot.yaml"):
        load_bot(tmp_path / "none.py")
    with pytest.raises(BadBot, match=r"/dev/null is neither a file nor a folder"):
        load_bot(Path("/dev/null"))


@pytest.mark.parametrize(
    ("named", "text"),
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
def test_suggestions_for_a_misspelled_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str, text: str
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
    with pytest.raises(BadBot, match=text.replace("?", "[?]")):
        load_bot(named)


def test_the_environment_is_not_inherited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    monkeypatch.setenv("LANG", "de_DE")
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("TMPDIR", raising=False)
    environment = load_bot(folder(tmp_path, "[python3, fox.py]")).environment()
    assert set(environment) <= {"PATH", "HOME", "USER", "TZ", "LANG", "PYTHONDONTWRITEBYTECODE"}
    assert environment["PATH"] == os.environ["PATH"]
    assert environment["LANG"] == "C.UTF-8"
    assert environment["TZ"] == "UTC"
