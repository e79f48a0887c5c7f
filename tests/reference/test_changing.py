"""An author changes a kit: its own test still holds, and the bot does what was written."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from arena.bots.digest import bot_files
from arena.bots.interpreters import build_search_path
from arena.bots.manifest import MANIFEST_FILE, load_manifest
from arena.bots.starter_kits import STARTER_KITS, create_bot
from tests.reference.conftest import HASTE, FindBot
from tests.reference.kit_messages import HELLO, make_question
from tests.suite.stages import soak_only

START = {
    "type": "start",
    "game": 1,
    "variant": "sticheln",
    "seats": 3,
    "seat": 0,
    "rounds": 5,
    "cards": ["B10", "G2"],
    "seed": 7,
}
RESULT = {"type": "result", "game": 1, "scores": [3, 1, 2], "ranks": [1, 3, 2]}

EDITS = {
    "python": [
        ('        """A game begins."""', "        self.log(f'begins {start.game}')"),
        (
            '"""A game has ended, unless you lost it by a fault."""',
            "self.log(f'ended {result.game}')",
        ),
        ("return super().play(view)", "self.note = 'low'; return super().play(view)"),
    ],
    "javascript": [
        ("start(game) {}", "start(game) { console.error(`begins ${game.game}`); }"),
        ("result(game) {}", "result(game) { console.error(`ended ${game.game}`); }"),
        ("lowest(options, number);", "({ choice: lowest(options, number), note: 'low' });"),
    ],
    "typescript": [
        (
            "start(game: Start): void {}",
            "start(game: Start) { console.error('begins', game.game) }",
        ),
        (
            "result(game: Result): void {}",
            "result(game: Result) { console.error('ended', game.game) }",
        ),
        ("lowest(options, number);", "({ choice: lowest(options, number), note: 'low' });"),
    ],
    "rust": [
        ("_start: &Start) {}", 'it: &Start) { eprintln!("begins {}", it.game) }'),
        (
            "_result: &messages::Result) {}",
            'it: &messages::Result) { eprintln!("ended {}", it.game) }',
        ),
        ("lowest(question, number).into()", 'Choice::from(lowest(question, number)).note("low")'),
    ],
    "go": [
        ("func start(s *Start) {}", 'func start(s *Start) { println("begins", s.Game) }'),
        ("func result(r *Result) {}", 'func result(r *Result) { println("ended", r.Game) }'),
        ('lowest(q.Options, number), ""', 'lowest(q.Options, number), "low"'),
    ],
    "java": [
        ("start(Start start) {}", 'start(Start it) { System.err.println("begins " + it.game()); }'),
        (
            "result(Result result) {}",
            'result(Result it) { System.err.println("ended " + it.game()); }',
        ),
        (
            "(question.options(), Strategy::number))",
            '(question.options(), Strategy::number), "low")',
        ),
    ],
    "cpp": [
        ("#include <map>", "#include <iostream>\n#include <map>"),
        ("Start& /*start*/) {}", 'Start& it) { std::cerr << "begins " << it.game << std::endl; }'),
        (
            "Result& /*result*/) {}",
            'Result& it) { std::cerr << "ended " << it.game << std::endl; }',
        ),
        (
            "return lowest(question.options, number);",
            'return {lowest(question.options, number), "low"};',
        ),
    ],
    "c": [
        ("#include <stdlib.h>", "#include <stdio.h>\n#include <stdlib.h>"),
        (
            "Start *game) { (void)game; }",
            'Start *it) { fprintf(stderr, "begins %d\\n", (int)it->game); }',
        ),
        (
            "Result *game) { (void)game; }",
            'Result *it) { fprintf(stderr, "ended %d\\n", (int)it->game); }',
        ),
        ("lowest(options, number)}", 'lowest(options, number), "low"}'),
    ],
    "perl": [
        ("sub start {\n    my ($game) = @_;", 'sub start { warn "begins $_[0]{game}\\n";'),
        ("sub result {\n    my ($game) = @_;", 'sub result { warn "ended $_[0]{game}\\n";'),
        ("return lowest( \\&number, @cards );", "return ( lowest( \\&number, @cards ), 'low' );"),
    ],
    "shell": [("| lowest(number);", '| {choice: lowest(number), note: "low"};')],
}
"""What an author might write, in place of what the kit has."""

HEARD = ["begins 1", "ended 1"]
SOON = {"CARGO_PROFILE_DEV_DEBUG": "0", "MAVEN_OPTS": HASTE}
"""Built soon rather than well."""
TESTED = ("typescript", "rust", "java", "cpp")
"""Where the kit's own test has built the bot it tests; cargo's is one to debug."""
LONG = ("typescript", "rust", "go", "java", "cpp")
"""Where the kit's own test takes ten seconds of CPU time and more, to build everything anew."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "lang", [soak_only(lang) if lang in LONG else lang for lang in STARTER_KITS]
)
def test_notes_and_games(find_bot: FindBot, tmp_path: Path, lang: str) -> None:
    """Choices carry notes, the strategy hears of games, and the bot holds seven of them."""
    find_bot(lang)  # or it is skipped
    kit = create_bot(tmp_path, "my-bot", lang)
    write_a_strategy(kit, lang)
    assert hold_seven(kit) == 1
    do(kit, ["sh", "-c", STARTER_KITS[lang].test])
    manifest = load_manifest(kit / MANIFEST_FILE)
    if manifest.build and lang not in TESTED:
        do(kit, manifest.build)
    run = [word.replace("release", "debug") for word in manifest.run]
    output = (HELLO, START, make_question(7, "play", "sticheln", "B10 G2"), RESULT)
    done = do(kit, run, "".join(f"{json.dumps(message)}\n" for message in output))
    ready, answer = map(json.loads, done.stdout.splitlines())
    assert ready == {"type": "ready", "games": 7}
    assert answer == {"type": "choose", "id": 7, "choice": "G2", "note": "low"}
    assert done.stderr.splitlines() == ([] if lang == "shell" else HEARD)  # jq keeps nothing


def write_a_strategy(kit: Path, lang: str) -> None:
    """Write what an author might."""
    source = kit / STARTER_KITS[lang].source
    text = source.read_text()
    for old, new in EDITS[lang]:
        assert old in text
        text = text.replace(old, new)
    source.write_text(text)


def hold_seven(kit: Path) -> int:
    """Let a kit's bot offer to hold seven games; in how many places that had to be written."""
    places = 0
    for file in bot_files(kit, load_manifest(kit / MANIFEST_FILE).ignore):
        pattern = r"(games(?:: u32)?\s*[=:]\s*)64\b"
        text, found = re.subn(pattern, r"\g<1>7", file.read_text(), flags=re.IGNORECASE)
        if found:
            file.write_text(text)
            places += found
    return places


def do(kit: Path, words: Sequence[str], output: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in the folder of a kit, as its author does; it has to succeed."""
    path = f"{Path(sys.executable).parent}:{build_search_path()}"
    done = subprocess.run(
        words,
        cwd=kit,
        env={**os.environ, **SOON, "PATH": path},
        input=output,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done
