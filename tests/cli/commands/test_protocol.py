"""`arena protocol` writes the schema, checks it, and copies the whole specification."""

import subprocess
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from arena.protocol.schema import schema_bytes
from tests.cli.invoke import invoke_arena

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def export(folder: Path, *words: str) -> tuple[int, str]:
    """Export in a folder."""
    return protocol(folder, "export", *words)


def protocol(folder: Path, *words: str) -> tuple[int, str]:
    """Run a command of the group in a folder: its exit status, and what it prints."""
    with chdir(folder):
        done = invoke_arena("protocol", *words)
    return done.exit_code, done.output


def test_the_project_is_up_to_date() -> None:
    """Asked as a person does."""
    done = subprocess.run(
        [sys.executable, "-m", "arena", "protocol", "export", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "protocol/schema.json is up to date\n"


def test_writing_and_checking(tmp_path: Path) -> None:
    (tmp_path / "protocol").mkdir()
    file = tmp_path / "protocol" / "schema.json"
    stale = "protocol/schema.json is not up to date: run 'arena protocol export'\n"
    assert export(tmp_path, "--check") == (1, stale)
    assert not file.exists()
    assert export(tmp_path) == (0, "protocol/schema.json: the schema of protocol 1\n")
    assert file.read_bytes() == schema_bytes()
    assert export(tmp_path, "--check")[0] == 0
    file.write_bytes(schema_bytes().replace(b"hello", b"hallo"))
    assert export(tmp_path, "--check") == (1, stale)


def test_exporting_to_another_file(tmp_path: Path) -> None:
    stale = "schema.json is not up to date: run 'arena protocol export --to schema.json'\n"
    assert export(tmp_path, "--to", "schema.json", "--check") == (1, stale)
    assert export(tmp_path, "--to", "schema.json")[0] == 0
    assert (tmp_path / "schema.json").read_bytes() == schema_bytes()


def test_stdout(tmp_path: Path) -> None:
    assert export(tmp_path, "--to", "-") == (0, schema_bytes().decode())
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "Error: there is no folder protocol here: name a file with --to, or - for stdout\n"),
        (("--check",), "Error: there is no folder protocol here"),
        (("--to", "-", "--check"), "Error: there is nothing to check on stdout"),
        (("--to", "."), "Error: .: Is a directory"),
    ],
)
def test_wrong_arguments_are_rejected(tmp_path: Path, words: tuple[str, ...], says: str) -> None:
    status, printed = export(tmp_path, *words)
    assert status == 2
    assert printed.startswith(says)
    assert len(printed.splitlines()) == 1


def test_copying(tmp_path: Path) -> None:
    status, said = protocol(tmp_path, "copy", "deep/spec")
    assert (status, said) == (0, "deep/spec/README.md: protocol 1, for who writes a bot\n")
    copied = {file.relative_to(tmp_path / "deep/spec") for file in tmp_path.rglob("*.json*")}
    original = {
        file.relative_to(ROOT / "protocol") for file in (ROOT / "protocol").rglob("*.json*")
    }
    assert copied == original
    status, said = protocol(tmp_path, "copy", "deep/spec")
    assert status == 2
    assert said == "Error: deep/spec exists already: choose another name, or remove it\n"
    (tmp_path / "file").touch()
    status, said = protocol(tmp_path, "copy", "file/spec")
    assert (status, said) == (2, "Error: file/spec cannot be made: Not a directory\n")
