"""What `bot.yaml` may say, and what is said where it is wrong."""

from pathlib import Path

import pytest

from arena.bots.manifest import FILE, load
from arena.errors import BadBot

WHOLE = """
name: Old Fox 2.1
run: [./fox, --deep]
build: [make, fox]
build_network: true
ignore: [out, .cache]
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
    assert manifest.build_network
    assert manifest.ignore == ("out", ".cache")
    assert (manifest.games, manifest.memory) == (16, 256)
    assert (manifest.language, manifest.author) == ("C", "Ada")
    assert manifest.description == "Counts everything."


def test_the_fewest_keys(tmp_path: Path) -> None:
    manifest = load(written(tmp_path, "name: x\nrun: [a]"))
    assert (manifest.build, manifest.games, manifest.memory) == (None, None, None)
    assert not manifest.build_network


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has to hold keys with values, such as 'name: my-bot'"),
        ("just words", "has to hold keys with values"),
        ("name: x\nrun: [a]\nignore: [b]", "$.ignore is for bots with a build"),
        ("name: x\nrun: [a]\nbuild_network: true", "$.build_network is for bots with a build"),
        ("name: x\nrun: [a]\nbuild: [b]\nbuild_network: 1", "$.build_network takes true or false"),
        ("name: x\nrun: [a]\nbuild: [b]\nignore: [bot.yaml]", "bot.yaml is a part of every bot"),
        ("name: x\nrun: [a]\nbuild: [b]\nignore: [out/x]", "$.ignore takes a list of names"),
        ("name: x\nrun: [a]\nbuild: [b]\nignore: out", "$.ignore takes a list of names"),
        ("- name: x", "has to hold keys with values"),
        ("name: [x", "is not YAML: line 1: expected ',' or ']'"),
        (
            "name: x\n\trun: y",
            "line 2: found character '\\t' that cannot start any token; use spaces, not tabs",
        ),
        (
            "name: !!python/object/apply:os.system [ls]",
            "is not YAML: line 1: could not determine a const",
        ),
        (b"name: \xff\xfe\xfd", "is not YAML"),
        (b"name: a\0b", "is not YAML: unacceptable character"),
        ("[" * 1000, "is not YAML"),
        ("name: x", "the key 'run' is missing; it takes a list, such as [python3, bot.py]"),
        ("run: [a]", "the key 'name' is missing"),
        ("name: x\nrun: python3 bot.py", "$.run takes a list, such as [python3, bot.py], not "),
        ("name: x\nrun: []", "$.run takes a list, such as [python3, bot.py], not "),
        ("name: x\nrun: [a, 1]", "$.run takes a list, such as [python3, bot.py], not "),
        ("name: x\nrun: [a, '']", "$.run takes a list, such as [python3, bot.py], not "),
        ("name: x\nrun: [a]\nbuild: make", "$.build takes a list, such as [make, bot], not 'make'"),
        ("name: 7\nrun: [a]", "$.name takes letters, digits, space, dot, dash and underscore"),
        ("name: ''\nrun: [a]", "$.name takes letters, digits, space, dot, dash and underscore"),
        ("name: ../x\nrun: [a]", "$.name takes letters, digits, space, dot, dash and underscore"),
        (
            f"name: {'x' * 41}\nrun: [a]",
            "$.name takes letters, digits, space, dot, dash and underscore",
        ),
        ('name: "x\\n"\nrun: [a]', "$.name takes letters, digits, space, dot, dash and underscore"),
        ("name: x\nrun: [a]\ngames: 0", "$.games takes a whole number from 1, not "),
        ("name: x\nrun: [a]\ngames: yes", "$.games takes a whole number from 1, not "),
        (
            "name: x\nrun: [a]\nmemory: -5",
            "$.memory takes a whole number of MiB, such as 512, not ",
        ),
        (
            "name: x\nrun: [a]\nmemory: 1.5",
            "$.memory takes a whole number of MiB, such as 512, not ",
        ),
        ('name: x\nrun: [a]\nauthor: "two\\nlines"', "$.author takes one line of text, not "),
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
