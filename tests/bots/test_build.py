"""Bots are built once for each version, in a copy of their folder."""

import os
from pathlib import Path

import pytest

from arena.bots import build
from arena.bots.bot import load_bot
from arena.bots.build import BuildSettings
from arena.bots.interpreters import prints_version
from arena.errors import BadBot
from tests.bots.toolchains import make_rustup_stub, make_toolchain, write_program

MANIFEST = "name: built\nrun: [./out/bot, go]\nbuild: {build}\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for builds."""
    place = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(place))
    return place / "stichkampf" / "builds"


def bot(tmp_path: Path, argv: str, script: str = "") -> Path:
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.yaml").write_text(MANIFEST.format(build=argv))
    (folder / "source").write_text("#!/bin/sh\n")
    (folder / "build.sh").write_text(f"#!/bin/sh\nset -e\n{script}\n")
    (folder / "build.sh").chmod(0o755)
    return folder


GOOD = "mkdir out; cp source out/bot; chmod +x out/bot; echo x >> ../../../../runs"


@pytest.mark.parametrize("argv", ["[./build.sh]", "[sh, build.sh]", "[sh, -c, ./build.sh]"])
def test_built_once(tmp_path: Path, argv: str, cache: Path) -> None:
    folder = bot(tmp_path, argv, GOOD)
    before = sorted(path.name for path in folder.rglob("*"))
    found = load_bot(folder)
    assert found.argv == (str(cache / found.digest / "out/bot"), "go")
    assert found.folder == cache / found.digest
    assert sorted(path.name for path in folder.rglob("*")) == before, "it is left as it was"
    assert load_bot(folder) == found
    assert (tmp_path / "cache" / "runs").read_text() == "x\n"
    (folder / "source").write_text("#!/bin/sh\n# better\n")
    other = load_bot(folder)
    assert other.digest != found.digest
    assert (tmp_path / "cache" / "runs").read_text() == "x\nx\n"
    kept = [path.name for path in cache.iterdir() if path.is_dir()]
    assert sorted(kept) == sorted([found.digest, other.digest])


def test_a_build_is_known_by_the_whole_digest(tmp_path: Path, cache: Path) -> None:
    """What somebody has left under the 12 digits that people are shown is not run."""
    folder = bot(tmp_path, "[./build.sh]", GOOD)
    shown = load_bot(folder, None).version
    (cache / shown / "out").mkdir(parents=True)
    (cache / shown / "out" / "bot").write_text("#!/bin/sh\n# somebody else's\n")
    (cache / shown / "out" / "bot").chmod(0o755)
    found = load_bot(folder)
    assert len(found.digest) == 64
    assert found.digest.startswith(shown)
    assert found.argv[0] == str(cache / found.digest / "out" / "bot")
    assert Path(found.argv[0]).read_text() == "#!/bin/sh\n"


def test_digests_that_begin_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """Two bots of which people see the same 12 digits are built apart."""
    folder = bot(tmp_path, "[./build.sh]", GOOD)
    made = []
    for end in "01":
        monkeypatch.setattr("arena.bots.bot.bot_digest", lambda *_, end=end: "a" * 12 + end * 52)
        (folder / "source").write_text(f"#!/bin/sh\n# {end}\n")
        made.append(load_bot(folder))
    assert made[0].version == made[1].version == "a" * 12
    assert [Path(one.argv[0]).read_text()[-2] for one in made] == ["0", "1"]
    assert {one.folder for one in made} == {cache / one.digest for one in made}


def test_a_place_for_builds_of_ones_own(tmp_path: Path) -> None:
    """Others cannot look into it, and what the operator has built is not taken for it."""
    folder = bot(tmp_path, "[./build.sh]", "mkdir out; cp source out/bot; chmod +x out/bot")
    theirs = load_bot(folder)
    Path(theirs.argv[0]).write_text("#!/bin/sh\n# somebody else's\n")
    builds = tmp_path / "ladder" / "builds"
    found = load_bot(folder, BuildSettings(builds_folder=builds))
    assert found.folder == builds / found.digest
    assert Path(found.argv[0]).read_text() == "#!/bin/sh\n"
    assert builds.stat().st_mode & 0o777 == 0o700
    build.delete_build(builds, found.digest)
    assert list(builds.iterdir()) == []
    assert theirs.folder.is_dir()


def test_ignored_files_are_not_copied(tmp_path: Path) -> None:
    folder = bot(tmp_path, "[./build.sh]\nignore: [target]", f"test ! -e target\n{GOOD}")
    before = load_bot(folder)
    (folder / "target").mkdir()
    (folder / "target" / "huge").touch()
    assert load_bot(folder) == before
    assert not (before.folder / "target").exists()


def test_a_failed_build_shows_what_it_printed(tmp_path: Path, cache: Path) -> None:
    count = "i=0; while [ $i -lt 30 ]; do i=$((i+1)); echo line $i; done"
    script = f"{count}; printf '\\33[31m%s\\33[0m' $PWD/x >&2; exit 3"
    folder = bot(tmp_path, "[./build.sh]", script)
    with pytest.raises(BadBot) as error:
        load_bot(folder)
    first, *shown = str(error.value).splitlines()
    assert first == f"{folder}: the build './build.sh' failed with exit status 3:"
    lines = [f"line {number}" for number in range(1, 31)]
    assert shown == [*lines[:10], "... (11 lines) ...", *lines[21:], f"{folder}/x"]
    assert [path for path in cache.iterdir() if path.is_dir()] == []


def test_a_build_that_fails_can_be_tried_again(tmp_path: Path) -> None:
    folder = bot(tmp_path, "[./build.sh]", f"test -e {tmp_path}/ready; {GOOD}")
    with pytest.raises(BadBot, match=r"exit status 1:\n\(it printed nothing\)"):
        load_bot(folder)
    (tmp_path / "ready").touch()
    assert load_bot(folder).name == "built"


def test_a_build_that_takes_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "BUILD_TIMEOUT", 0.2)
    folder = bot(tmp_path, "[./build.sh]", "exec sleep 3600")
    with pytest.raises(BadBot, match=r"the build './build.sh' took more than 0.2 s"):
        load_bot(folder)


def test_a_missing_tool(tmp_path: Path) -> None:
    folder = bot(tmp_path, "[no-such-compiler, -O2]")
    with pytest.raises(
        BadBot, match=r"bot.yaml is built by no-such-compiler, which is not install"
    ):
        load_bot(folder)


def test_a_missing_script(tmp_path: Path) -> None:
    folder = bot(tmp_path, "[./make-it]")
    with pytest.raises(BadBot, match=r"bot.*make-it"):
        load_bot(folder)


def test_a_script_that_is_not_executable(tmp_path: Path) -> None:
    folder = bot(tmp_path, "[./build.sh]", GOOD)
    (folder / "build.sh").chmod(0o644)
    with pytest.raises(BadBot, match=r"bot.*build\.sh"):
        load_bot(folder)


def test_a_build_without_result(tmp_path: Path) -> None:
    folder = bot(tmp_path, "['true']")
    with pytest.raises(BadBot, match=r"bot.yaml: \$.run: the build has not made ./out/bot"):
        load_bot(folder)


def test_no_place_for_builds(tmp_path: Path, cache: Path) -> None:
    cache.parent.parent.write_text("a file where a folder should be")
    folder = bot(tmp_path, "[./build.sh]", GOOD)
    with pytest.raises(BadBot, match=f"cannot be built in {cache}: Not a directory"):
        load_bot(folder)


def test_a_build_sees_no_terminal_and_the_whole_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COMPILER_CACHE", "here")
    folder = bot(tmp_path, "[./build.sh]", f'read x || test "$COMPILER_CACHE" = here; {GOOD}')
    assert os.access(load_bot(folder).argv[0], os.X_OK)


REFUSED = "its build wants the network ('build_network: true'); say --build-network if you trust it"


def test_a_build_that_wants_the_network(tmp_path: Path, cache: Path) -> None:
    folder = bot(tmp_path, "[./build.sh]\nbuild_network: true", GOOD)
    with pytest.raises(BadBot) as error:
        load_bot(folder, BuildSettings(allows_network=False))
    assert str(error.value) == f"{folder}/bot.yaml: {REFUSED}"
    assert not cache.exists(), "nothing was begun"
    made = load_bot(folder, BuildSettings(allows_network=True))
    assert load_bot(folder, BuildSettings(allows_network=False)) == made, (
        "what is built needs nothing"
    )


def test_commands_in_errors_are_sanitized(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bot(tmp_path, '[sh, -c, "exit 1 # \\e[2J"]')
    with pytest.raises(BadBot) as error:
        load_bot(folder)
    assert "exit 1 # ␛[2J" in str(error.value)
    assert "exit 1 # ␛[2J" in capsys.readouterr().err


def test_leftovers_of_killed_builds_are_removed(tmp_path: Path, cache: Path) -> None:
    folder = bot(tmp_path, "[./build.sh]", GOOD)
    made = load_bot(folder)
    (cache / made.digest).rename(cache / f"{made.digest}.999")
    assert load_bot(folder) == made
    assert {path.name for path in cache.iterdir()} == {made.digest, f"{made.digest}.lock"}


def test_a_cargo_without_a_toolchain_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Nor is the rustc beside it, which a cargo that runs would find first on the PATH."""
    folder = bot(tmp_path, "[cargo, build]")
    make_rustup_stub(tmp_path / "home")
    monkeypatch.setenv("PATH", str(tmp_path / "home"))
    with pytest.raises(BadBot, match=r"bot\.yaml is built by cargo; cargo has no toolchain: run '"):
        load_bot(folder)
    cargo = make_toolchain(tmp_path / "system")
    monkeypatch.setenv("PATH", f"{tmp_path}/home:{tmp_path}/system:/usr/bin:/bin")
    assert load_bot(folder).folder.is_dir()
    assert f"building bot by '{cargo} build'" in capfd.readouterr().err


def test_a_tool_is_tried_before_a_build_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = tmp_path / "tried"
    text = f"#!/bin/sh\n[ $1 = --version ] && exec touch {tried}\n{GOOD}\n"
    make = write_program(tmp_path / "bin" / "make", text)
    write_program(tmp_path / "other" / "make", text)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{tmp_path}/other:/usr/bin:/bin")
    folder = bot(tmp_path, "[make, all]")
    found = load_bot(folder)
    tried.unlink()
    prints_version.cache_clear()
    assert load_bot(folder) == found
    assert not tried.exists(), "it is built already"
    write_program(make, "#!/bin/sh\nexit 1\n")
    (folder / "source").write_text("#!/bin/sh\n# better\n")
    assert load_bot(folder).folder.is_dir(), "by another one on the PATH"
    assert tried.exists()
