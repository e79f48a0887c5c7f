"""What `bot.yaml` may say, and what is said where it is wrong."""

from pathlib import Path

import pytest

from arena.bots.manifest import FILE, load
from arena.errors import BadBot

WHOLE = """
name: Old Fox 2.1
run: [./fox, --deep]
build: [make, fox]
language: C
author: Ada
description: Counts everything.
games: 16
memory: 256
"""


def written(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / FILE
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_all_keys(tmp_path: Path) -> None:
    manifest = load(written(tmp_path, WHOLE))
    assert manifest.name == "Old Fox 2.1"
    assert manifest.run == ("./fox", "--deep")
    assert manifest.build == ("make", "fox")
    assert (manifest.games, manifest.memory) == (16, 256)
    assert (manifest.language, manifest.author) == ("C", "Ada")
    assert manifest.description == "Counts everything."


def test_the_fewest_keys(tmp_path: Path) -> None:
    manifest = load(written(tmp_path, "name: x\nrun: [a]"))
    assert (manifest.build, manifest.games, manifest.memory) == (None, None, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has to be a list of keys and values, such as 'name: my-bot'"),
        ("just words", "has to be a list of keys and values"),
        ("- name: x", "has to be a list of keys and values"),
        ("name: [x", "is not YAML: while parsing a flow sequence"),
        ("name: x\n\trun: y", "is not YAML: while scanning"),
        ("name: !!python/object/apply:os.system [ls]", "is not YAML: could not determine a const"),
        (b"name: \xff\xfe\xfd", "is not YAML"),
        (b"name: a\0b", "is not YAML: unacceptable character"),
        ("[" * 1000, "is not YAML"),
        ("name: x", "missing required field run"),
        ("run: [a]", "missing required field name"),
        ("name: x\nrun: python3 bot.py", "$.run: expected array, got str"),
        ("name: x\nrun: []", "$.run: expected array of length >= 1"),
        ("name: x\nrun: [a, 1]", "$.run[1]: expected str, got int"),
        ("name: x\nrun: [a, '']", "$.run[1]: expected str of length >= 1"),
        ("name: x\nrun: [a]\nbuild: make", "$.build: expected array | null, got str"),
        ("name: 7\nrun: [a]", "$.name: expected str, got int"),
        ("name: ''\nrun: [a]", "$.name: expected str matching regex"),
        ("name: ../x\nrun: [a]", "$.name: expected str matching regex"),
        (f"name: {'x' * 41}\nrun: [a]", "$.name: expected str matching regex"),
        ('name: "x\\n"\nrun: [a]', "$.name: expected str matching regex"),
        ("name: x\nrun: [a]\ngames: 0", "$.games: expected int >= 1"),
        ("name: x\nrun: [a]\ngames: yes", "$.games: expected int | null, got bool"),
        ("name: x\nrun: [a]\nmemory: -5", "$.memory: expected int >= 1"),
        ("name: x\nrun: [a]\nmemory: 1.5", "$.memory: expected int | null, got float"),
        ('name: x\nrun: [a]\nauthor: "two\\nlines"', "$.author: expected str matching regex"),
        ("nmae: x\nrun: [a]", "there is no key 'nmae'; did you mean 'name'?"),
        ("name: x\nruns: [a]", "there is no key 'runs'; did you mean 'run'?"),
        ("name: x\nrun: [a]\nzzz: 1", "there is no key 'zzz'; the keys are name, run, build"),
        ("name: x\nrun: [a]\n1: 1", "there is no key 1; the keys are"),
        ("name: x\nrun: [a]\nnull: 1", "there is no key None; the keys are"),
    ],
)
def test_what_is_wrong(tmp_path: Path, text: str | bytes, said: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(BadBot) as error:
        load(file)
    assert str(error.value).startswith(f"{file}: ")
    assert said.lower() in str(error.value).lower()
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=f"^{tmp_path}: Is a directory$"):
        load(tmp_path)
    with pytest.raises(BadBot, match=r"none\.yaml: No such file or directory$"):
        load(tmp_path / "none.yaml")
