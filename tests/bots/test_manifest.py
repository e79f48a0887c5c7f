"""What `bot.yaml` may say, and what is said where it is wrong."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.bots.manifest import MANIFEST_FILE, load_manifest
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


def write_manifest(tmp_path: Path, text: str | bytes) -> Path:
    file = tmp_path / MANIFEST_FILE
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_all_keys(tmp_path: Path) -> None:
    manifest = load_manifest(write_manifest(tmp_path, WHOLE))
    assert manifest.name == "Old Fox 2.1"
    assert manifest.run == ("./fox", "--deep")
    assert manifest.build == ("make", "fox")
    assert manifest.build_network
    assert manifest.ignore == ("out", ".cache")
    assert (manifest.games, manifest.memory) == (16, 256)
    assert (manifest.language, manifest.author) == ("C", "Ada")
    assert manifest.description == "Counts everything."


def test_the_fewest_keys(tmp_path: Path) -> None:
    manifest = load_manifest(write_manifest(tmp_path, "name: x\nrun: [a]"))
    assert (manifest.build, manifest.games, manifest.memory) == (None, None, None)
    assert not manifest.build_network


@pytest.mark.parametrize(
    ("text", "message"),
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
            "line 1: tags ('!') are not allowed; write the value itself",
        ),
        (b"name: \xff\xfe\xfd", "is not YAML"),
        (b"name: a\0b", "is not YAML: unacceptable character"),
        ("[" * 1000, "line 1: more than 8 lists and mappings within each other; flatten it"),
        ("name: x", "the key 'run' is missing; it takes a list, such as [python3, bot.py]"),
        ("run: [a]", "the key 'name' is missing"),
        ("name: x\nrun: python3 bot.py", "$.run takes a list, such as [python3, bot.py], not "),
        ("name: x\nrun: []", "$.run takes a list, such as [python3, bot.py], not an empty list"),
        (
            "name: x\nrun: [a, 1]",
            "$.run takes a list, such as [python3, bot.py], not a list with 1 in it",
        ),
        ("name: x\nrun: [a, [b]]", "not a list with a list in it"),
        ("name: x\nrun: {a: b}", "$.run takes a list, such as [python3, bot.py], not a mapping"),
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
def test_wrong_manifests_are_rejected(tmp_path: Path, text: str | bytes, message: str) -> None:
    file = write_manifest(tmp_path, text)
    with pytest.raises(BadBot) as error:
        load_manifest(file)
    assert str(error.value).startswith(f"{file}: ")
    assert message.lower() in str(error.value).lower()
    assert "\n" not in str(error.value)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=f"^{tmp_path}: Is a directory$"):
        load_manifest(tmp_path)
    with pytest.raises(BadBot, match=r"none\.yaml: No such file or directory$"):
        load_manifest(tmp_path / "none.yaml")


KEYS = "name: x\nrun: [a]\n"


def laughs(levels: int, width: int) -> str:
    """A list that refers to the one before, again and again, as in the billion laughs."""
    lines = [f"  - &a0 [{', '.join(['lol'] * width)}]"]
    for level in range(1, levels):
        again = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"  - &a{level} [{again}]")
    return "\n".join(["description:", *lines]) + "\n"


def merges(levels: int, width: int) -> str:
    """Mappings that take in the one before, again and again."""
    lines = ["  - &a0 {x: y}"]
    for level in range(1, levels):
        again = ", ".join([f"*a{level - 1}"] * width)
        lines.append(f"  - &a{level} {{<<: [{again}]}}")
    return "\n".join(["description:", *lines]) + "\n"


ALIASES = "anchors and aliases ('&' and '*') are not allowed; write the value itself"
LARGE = "it is larger than 64 KiB; shorten it"
MANY = "more than 1000 values; leave some out"
NUMBER = "a number of more than 40 characters; shorten or quote it"

BOMBS: dict[str, tuple[str, str]] = {
    "nine levels of aliases": (KEYS + laughs(9, 9), f"line 4: {ALIASES}"),
    "aliases in a name": (laughs(10, 10).replace("description", "name"), f"line 2: {ALIASES}"),
    "merge keys": (KEYS + merges(8, 9), f"line 4: {ALIASES}"),
    "merge keys without aliases": (
        f"{KEYS}<<: {{games: 2}}",
        "line 3: merge keys ('<<') are not allowed; write the keys themselves",
    ),
    "seven megabytes": (f"{KEYS}description: {'x ' * (7 << 19)}", LARGE),
    "seven megabytes of comments": (
        KEYS + "".join(f"# {n}\n" for n in range(800_000)),
        LARGE,
    ),
    "a list of 256 KiB": (f"{KEYS}ignore: [{'a,' * (128 << 10)}]", LARGE),
    "many arguments": (f"name: x\nrun: [{'a,' * (31 << 10)}]", f"line 2: {MANY}"),
    "many keys": (KEYS + "".join(f"k{n}: 1\n" for n in range(6000)), MANY),
    "many levels": (f"{KEYS}author: {'[' * (60 << 10)}", "line 3: more than 8 lists and mappings"),
    "many levels in a block": (f"{KEYS}author: {'- ' * (30 << 10)}", "is not YAML"),
    "many levels below": (KEYS + "".join(f"{' ' * n}a:\n" for n in range(300)), "more than 8"),
    "an octal number": (f"{KEYS}games: 0{'7' * 9000}", f"line 3: {NUMBER}"),
    "a decimal number": (f"{KEYS}games: {'7' * 9000}", f"line 3: {NUMBER}"),
    "a hexadecimal number": (f"{KEYS}games: 0x{'f' * 9000}", f"line 3: {NUMBER}"),
    "a binary number": (f"{KEYS}games: 0b{'1' * 60000}", f"line 3: {NUMBER}"),
    "a number with underscores": (f"{KEYS}games: 1{'_' * 9000}", f"line 3: {NUMBER}"),
    "a number to base 60": (f"{KEYS}games: 1{':1' * 30000}", f"line 3: {NUMBER}"),
    "a fraction to base 60": (f"{KEYS}memory: 1{':1' * 30000}.5", f"line 3: {NUMBER}"),
    "a number as a key": (f"{KEYS}0{'7' * 1000}: 1", f"line 3: {NUMBER}"),
    "a number in a list": (f"name: x\nrun: [a, 0{'7' * 9000}]", f"line 2: {NUMBER}"),
    "a fraction": (f"{KEYS}memory: 1.{'5' * 9000}", f"line 3: {NUMBER}"),
    "infinity": (f"{KEYS}memory: .inf", "takes a whole number of MiB, such as 512, not inf"),
    "a large number": (f"{KEYS}games: 0{'7' * 39}", "takes a whole number from 1, not 166153499"),
    "a date": (f"{KEYS}author: 2001-12-14", "takes one line of text, not datetime.date(2001, 12"),
    "no date": (f"{KEYS}author: 2001-99-14", "is not YAML: month must be in 1..12"),
    "a time zone": (f"{KEYS}author: 2001-12-14 21:59:43 +99:99", "is not YAML: offset must be"),
    "an empty number by tag": (f"{KEYS}games: !!int ''", "tags ('!') are not allowed"),
    "a truth by tag": (f"{KEYS}build_network: !!bool maybe", "tags ('!') are not allowed"),
    "a time by tag": (f"{KEYS}author: !!timestamp x", "tags ('!') are not allowed"),
    "bytes by tag": (f"{KEYS}author: !!binary {'A' * 40000}", "tags ('!') are not allowed"),
    "an object by tag": (f"{KEYS}author: !!python/name:os.system", "tags ('!') are not allowed"),
    "a tag of its own": (f"{KEYS}author: !x y", "tags ('!') are not allowed"),
    "a zero": (f'{KEYS}author: "a\\0b"', "line 3: characters that are not allowed in file"),
    "half a character": ('name: x\nrun: ["./\\ud800"]', "line 2: characters that are not allowed"),
    "a list as a key": (f"{KEYS}? [a, b]\n: 1", "is not YAML: line 3: found unhashable key"),
    "a long key": (f"{KEYS}{'k' * 1000}: 1", "there is no key 'kkkkkkk"),
    "a long value": (f"name: {'n' * 60000}\nrun: [a]", "$.name takes letters, digits"),
    "a long line": (f"{KEYS}author: '{'n' * 60000}'", "$.author takes one line of text, not 'nn"),
    "a long anchor": (f"{KEYS}author: *{'n' * 60000}", f"line 3: {ALIASES}"),
    "a long tag": (f"{KEYS}author: !{'n' * 60000} x", "tags ('!') are not allowed"),
    "a long error": (f"%TAG {'!' * 60000}", "is not YAML"),
}
"""What somebody may send who wants to keep the machine busy, and what is said to it."""

MEASURED = """
import json, os, re, resource, sys
from pathlib import Path
from arena.bots.manifest import load_manifest
from arena.errors import BadBot
def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])
def measure(file):
    before, error = peak(), ""
    try:
        load_manifest(Path(file))
    except BadBot as found:
        error = str(found)
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(json.dumps([error, peak() - before, used.ru_utime + used.ru_stime]), flush=True)
for file in sys.argv[1:]:
    if os.fork() == 0:
        measure(file)
        os._exit(0)
    os.wait()
"""
"""Loads each manifest in a process of its own; prints errors, KiB and seconds of CPU time."""
MEMORY = 20 << 10
"""KiB that a manifest may take to be read."""
TIME = 5
"""Seconds of CPU time for it."""

Measured = dict[str, tuple[Path, str, int, float]]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    """The file of each bomb, the error, and what it took to find it."""
    files = [write_manifest(tmp_path_factory.mktemp("bomb"), text) for text, _ in BOMBS.values()]
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, files)],
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    lines = map(json.loads, done.stdout.splitlines())
    return {bomb: (file, *line) for bomb, file, line in zip(BOMBS, files, lines, strict=True)}


@pytest.mark.parametrize("bomb", BOMBS)
def test_bombs(measured: Measured, bomb: str) -> None:
    file, error, memory, seconds = measured[bomb]
    assert error.startswith(f"{file}: ")
    assert BOMBS[bomb][1] in error
    assert len(error.splitlines()) == 1
    assert len(error) < 1000
    assert memory < MEMORY
    assert seconds < TIME


def test_quoted_values_are_text(tmp_path: Path) -> None:
    lines = ["name: '2001-12-14'", f"run: [a, '<<', '&a', '*a', '!b', '{'7' * 9000}']"]
    manifest = load_manifest(write_manifest(tmp_path, "\n".join(lines)))
    assert manifest.name == "2001-12-14"
    assert manifest.run == ("a", "<<", "&a", "*a", "!b", "7" * 9000)


def test_the_largest_manifest(tmp_path: Path) -> None:
    whole = KEYS + "#" * ((64 << 10) - len(KEYS))
    assert load_manifest(write_manifest(tmp_path, whole)).name == "x"
    with pytest.raises(BadBot, match=LARGE):
        load_manifest(write_manifest(tmp_path, f"{whole}#"))
