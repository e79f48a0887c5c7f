"""`arena new` makes a folder with the kit of a language, whole or not at all."""

from pathlib import Path

import pytest

from arena.bots import manifest
from arena.bots.starter_kits import STARTER_KITS, create_bot
from arena.errors import BadBot
from tests.bots.toolchains import make_rustup_stub
from tests.cli.invoke import invoke_arena
from tests.conftest import RunArena

pytestmark = pytest.mark.slow

FETCHING = ("typescript", "rust", "java")
"""Their builds fetch packages."""


@pytest.mark.parametrize("lang", STARTER_KITS)
def test_the_created_files(tmp_path: Path, lang: str) -> None:
    done = invoke_arena("new", "my bot", "--lang", lang, "--in", str(tmp_path))
    assert done.exit_code == 0
    folder = tmp_path / "my bot"
    assert list(tmp_path.iterdir()) == [folder]
    assert (folder / STARTER_KITS[lang].source).is_file()
    assert manifest.load_manifest(folder / "bot.yaml").name == "my bot"
    assert not [entry for entry in folder.rglob("*") if entry.is_symlink()]
    test = STARTER_KITS[lang].test
    page = (folder / "README.md").read_text()
    for command in ("arena check .", "arena play sticheln . . . --watch", "--strict", test):
        assert command in page
    check = "arena check ." + " --build-network" * (lang in FETCHING)
    commands = f"{test}\n  {check}\n  arena play sticheln . . . --watch\n"
    assert f"  cd '{folder}'\n  {commands}" in done.stdout


@pytest.mark.parametrize("name", ["1.5", "true", "null", "2026-01-01", "0x10"])
def test_names_that_look_like_other_yaml_types(tmp_path: Path, name: str) -> None:
    assert manifest.load_manifest(create_bot(tmp_path, name, "python") / "bot.yaml").name == name


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a", "-a", "a:b", "x" * 41])
def test_invalid_names(tmp_path: Path, name: str) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(BadBot, match="cannot be a bot's name"):
        create_bot(tmp_path, name, "python")
    assert [entry.name for entry in tmp_path.rglob("*")] == ["a"]


def test_existing_files_are_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("mine")
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.rglob("*"))
    for name in ("empty", "file", "dangling"):
        with pytest.raises(BadBot, match="exists already: choose another name, or remove it"):
            create_bot(tmp_path, name, "python")
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_a_mistake_is_one_sentence(tmp_path: Path) -> None:
    done = invoke_arena("new", tmp_path.name, "--in", str(tmp_path.parent))
    assert done.exit_code == 2
    assert done.stderr.startswith(f"Error: {tmp_path} exists already: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_language_that_is_not_installed(run_arena: RunArena, tmp_path: Path) -> None:
    done = run_arena("new", "gopher", "--lang", "go", "--in", str(tmp_path), PATH=str(tmp_path))
    assert done.returncode == 0
    assert "It needs go, which is not on the PATH: run 'apt install golang-go'." in done.stdout
    assert (tmp_path / "gopher" / "bot.yaml").is_file()


def test_a_language_without_a_toolchain(run_arena: RunArena, tmp_path: Path) -> None:
    make_rustup_stub(tmp_path / "bin")
    words = ("new", "crab", "--lang", "rust", "--in", str(tmp_path))
    done = run_arena(*words, PATH=str(tmp_path / "bin"))
    assert done.returncode == 0
    said = "It needs cargo, and cargo has no toolchain: run 'rustup default stable'."
    assert said in done.stdout
    assert (tmp_path / "crab" / "bot.yaml").is_file()


def test_an_unknown_language(tmp_path: Path) -> None:
    done = invoke_arena("new", "snake", "--lang", "pascal", "--in", str(tmp_path))
    assert done.exit_code == 2
    assert "'python', 'javascript', 'typescript', 'rust', 'go', 'java', 'cpp'" in done.stderr
    assert not list(tmp_path.iterdir())


def test_languages_are_completed(run_arena: RunArena) -> None:
    words = {"COMP_WORDS": "arena new snake --lang p", "COMP_CWORD": "4"}
    done = run_arena(_ARENA_COMPLETE="zsh_complete", **words)
    assert done.stdout.rstrip("\n").split("\n")[1::3] == ["python", "perl"]
