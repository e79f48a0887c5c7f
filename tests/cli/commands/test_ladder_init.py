"""`arena ladder init` makes a ladder, or says in one sentence why not and leaves nothing."""

import shlex
from pathlib import Path

import pytest
from click.testing import Result

from arena.ladder.create import default_name
from arena.ladder.registry import Registry
from arena.ladder.settings import load_settings
from arena.ladder.submissions.placement import REFERENCE_BOTS
from tests.cli.invoke import invoke_arena
from tests.ladder import factories


def init(folder: Path, *words: str) -> Result:
    return invoke_arena("ladder", "init", folder, *words, columns=200)


@pytest.mark.slow
@pytest.mark.needs("sandbox")
def test_the_first_steps_of_a_new_user(tmp_path: Path) -> None:
    folder = tmp_path / "Meine Leiter"
    done = init(folder)
    assert done.exit_code == 0
    place = shlex.quote(str(folder))
    assert done.stdout == (
        f"Made {folder}: 7 cells, sandbox standard; {folder}/ladder.yaml says more.\n"
        f"Next: arena submit BOT --to {place}\n"
        f"      arena ladder night {place} --games 1000\n"
        f"      arena serve {place}\n"
    )
    assert load_settings(folder).keys.name == "Meine Leiter"
    assert (folder / "ladder.yaml").read_text().startswith("# What is played on this ladder")
    again = init(folder)
    assert again.exit_code == 2
    assert "is there and not empty; name a folder that is not there yet" in again.stderr


@pytest.mark.slow
@pytest.mark.needs("sandbox")
def test_variants_and_reference_bots_are_chosen(tmp_path: Path) -> None:
    words = ("--variants", "sticheln+*", "--variants", "hat-trick", "--seats", "4, 5")
    done = init(tmp_path / "x", *words, "--name", "Club", "--with-reference")
    assert done.exit_code == 0
    assert f"Reference bots: {', '.join(REFERENCE_BOTS)}." in done.stdout
    found = load_settings(tmp_path / "x")
    assert found.keys.name == "Club"
    assert found.keys.variants == ("sticheln+*", "hat-trick")
    assert {cell.seats for cell in found.cells} == {4, 5}
    about = factories.read_header(tmp_path / "x")
    assert about.rating["anchors"] == [f"{name} v1" for name in REFERENCE_BOTS]
    with Registry.open(tmp_path / "x") as registry:
        assert len(registry.active_versions()) == len(REFERENCE_BOTS)
    assert init(tmp_path / "all", "--seats", "all", "--variants", "all").exit_code == 0
    assert init(tmp_path / "one", "--seats", "3", "--variants", "stick-em").exit_code == 0
    assert "1 cell," in init(tmp_path / "1", "--seats", "3", "--variants", "stick-em").stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--variants", "skat"), "$.variants[0]: there is no variant 'skat'"),
        (("--variants", "skat*"), "$.variants[0]: no variant matches 'skat*'"),
        (("--variants", "stick-em", "--seats", "9"), "$.seats: stick-em is played by 3 to 6"),
        (("--seats", "3,x"), "--seats takes numbers such as 3,4, or all, not '3,x'"),
        (("--seats", ""), "--seats takes numbers such as 3,4, or all, not ''"),
        (("--seats", "-3"), "--seats takes numbers"),
        (("--seats", "9" * 5000), "--seats takes numbers"),
        (("--seats", "3\x1b[31m"), "--seats takes numbers such as 3,4, or all, not '3␛[31m'"),
        (("--name", "a/b"), "$.name: that cannot be taken; it takes letters, digits, space"),
        (("--name", "x" * 41), "$.name: that cannot be taken"),
    ],
)
def test_wrong_arguments_create_nothing(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    done = init(tmp_path / "a" / "b", *words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_folders_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for folder in (tmp_path / "file", tmp_path / "file" / "x", tmp_path, Path("/sys/ladder")):
        done = init(folder)
        assert done.exit_code == 2
        assert "Error: " in done.stderr
        assert "Traceback" not in done.output
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("ladder", "ladder"),
        ("a b.c_d-e", "a b.c_d-e"),
        ("größe!", "gr-e"),
        ("-x-", "x"),
        ("...", "ladder"),
        ("x" * 60, "x" * 40),
    ],
)
def test_a_ladder_is_called_as_its_folder(tmp_path: Path, folder: str, name: str) -> None:
    assert default_name(tmp_path / folder) == name


@pytest.mark.needs("sandbox")
def test_the_current_folder_becomes_a_ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert init(Path()).exit_code == 0
    assert load_settings(Path()).keys.name == "here"
