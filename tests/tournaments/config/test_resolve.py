"""Bots are found by paths, patterns and names, and have one name each."""

from pathlib import Path

import pytest

from arena.bots.bot import builtin_bots
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.tournaments.config.keys import BotKeys
from arena.tournaments.config.resolve import find_bots
from arena.tournaments.config.yaml_file import BadTournament

SCRIPT = "import sys\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A tournament's file, with bots around it."""
    for name in ("fox", "owl"):
        (tmp_path / "bots" / name).mkdir(parents=True)
        (tmp_path / "bots" / name / "bot.yaml").write_text(f"name: {name}\nrun: [python3, x.py]\n")
    (tmp_path / "bots" / "lone.py").write_text(SCRIPT)
    (tmp_path / "bots" / "README.md").write_text("Not a bot.")
    (tmp_path / "bots" / "empty").mkdir()
    (tmp_path / "night").mkdir()
    return tmp_path / "night" / "friday.yaml"


def find_bot_paths(file: Path, *entries: str | BotKeys) -> dict[str, str]:
    return {entrant.bot.name: entrant.path for entrant in find_bots(file, entries)}


def test_paths_are_seen_from_the_file(file: Path) -> None:
    bots = file.parent.parent / "bots"
    assert find_bot_paths(file, "../bots/owl", "../bots/lone.py", "../bots/fox/bot.yaml") == {
        "fox": str(bots / "fox"),
        "lone": str(bots / "lone.py"),
        "owl": str(bots / "owl"),
    }
    assert find_bot_paths(file, str(bots / "owl")) == {"owl": str(bots / "owl")}


def test_a_pattern_finds_folders_and_scripts_in_order(file: Path) -> None:
    assert list(find_bot_paths(file, "../bots/*")) == ["fox", "lone", "owl"]
    assert list(find_bot_paths(file, "../bots/[fo]*")) == ["fox", "owl"]
    assert list(find_bot_paths(file, f"{file.parent.parent}/bots/f*")) == ["fox"]


@pytest.mark.needs("node", "perl")
def test_names_of_bots_that_come_with_the_program(file: Path) -> None:
    assert find_bot_paths(file, "random", "ladder:lowest") == {
        "lowest": "lowest",
        "random": "random",
    }
    plain = [
        name
        for name, folder in builtin_bots().items()
        if load_manifest(folder / MANIFEST_FILE).build is None
    ]
    every = find_bots(file, [f"ladder:{name}" for name in plain])
    assert [entrant.bot.name for entrant in every] == sorted(plain)


def test_a_file_wins_over_a_builtin_name(file: Path) -> None:
    (file.parent / "random").write_text("#!/bin/sh\n")
    (file.parent / "random").chmod(0o755)
    assert find_bot_paths(file, "random") == {"random": str(file.parent / "random")}
    assert find_bot_paths(file, "ladder:random") == {"random": "random"}


def test_another_name(file: Path) -> None:
    twice = find_bot_paths(file, "../bots/fox", BotKeys(bot="../bots/fox", alias="fox 2"))
    assert list(twice) == ["fox", "fox 2"]
    one, other = find_bots(file, ["../bots/fox", BotKeys(bot="../bots/fox", alias="fox 2")])
    assert one.bot.version == other.bot.version


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["../bots/none"], "bots/none does not exist: a bot is a folder with bot.yaml"),
        (["randon"], "randon does not exist"),
        (["ladder:randon"], "there is no bot 'ladder:randon'; did you mean 'random'?"),
        (["ladder:zzz"], "there is no bot 'ladder:zzz'; there are"),
        (["../bots/empty"], "bots/empty has no bot.yaml; write one"),
        (["../bots/n*"], "../bots/n* matches no bot in "),
        (["../bots/R*"], "matches no bot in"),
        (["../bots/README.md"], "README.md is not executable"),
        (
            ["../bots/fox", "../bots/*"],
            "'fox' already takes part, as $.bots[0]; give one of them another name: {bot: ../bots/",
        ),
        ([BotKeys(bot="../bots/*", alias="all")], "'as: all' names one bot, but ../bots/* are 3"),
    ],
)
def test_wrong_bots_are_rejected(file: Path, entries: list[str | BotKeys], said: str) -> None:
    with pytest.raises(BadTournament) as error:
        find_bots(file, entries)
    assert str(error.value).startswith(f"{file}: $.bots[{len(entries) - 1}]: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_script_whose_name_cannot_stand_in_tables(file: Path) -> None:
    (file.parent / "[bold]x.py").write_text(SCRIPT)
    with pytest.raises(BadTournament, match="cannot be a bot's name in a tournament; add 'as:'"):
        find_bots(file, ["[bold]x.py"])
    assert list(find_bot_paths(file, BotKeys(bot="[bold]x.py", alias="x"))) == ["x"]
