"""What a bot needs of a machine is known before it is there."""

from pathlib import Path

import pytest

from arena.bots.bot import reference
from arena.bots.needs import needs
from arena.errors import BadBot


@pytest.mark.parametrize(
    ("told", "needed"),
    [
        ("run: [node, main.js]", ("node",)),
        ("run: [./bot]", ()),
        ("run: [bin/bot]", ()),
        ("run: [/usr/bin/perl, bot.pl]", ()),
        ("run: [python3, bot.py]", ()),
        ("run: [python, bot.py]", ()),
        ("run: [python3.11, bot.py]", ("python3.11",)),
        ("run: [./bot]\nbuild: [make, -j2]", ("make",)),
        ("run: [java, Bot]\nbuild: [mvn, package]", ("mvn", "java")),
        ("run: [node, .]\nbuild: [node, build.js]", ("node",)),
        ("run: [perl, bot.pl]\nbuild: [./build.sh]", ("perl",)),
        ("run: [perl, bot.pl]\nbuild: [python3, build.py]", ("perl",)),
    ],
)
def test_a_folder(tmp_path: Path, told: str, needed: tuple[str, ...]) -> None:
    (tmp_path / "bot.yaml").write_text(f"name: fox\n{told}\n")
    assert needs(tmp_path) == needed


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("fox.py", "", ()),
        ("fox.js", "", ("node",)),
        ("fox.rb", "", ("ruby",)),
        ("fox", "#!/usr/bin/env perl\n", ("perl",)),
        ("fox", "#!/usr/bin/env -S node --no-warnings\n", ("node",)),
        ("fox", "#!/usr/bin/env python3\n", ()),
        ("fox", "#!/usr/bin/perl -w\n", ()),
        ("fox.py", "#!/usr/bin/env perl\n", ("perl",)),
        ("fox.js", "#!\n", ("node",)),
        ("fox", "\x7fELF", ()),
        ("fox", "", ()),
    ],
)
def test_a_script(tmp_path: Path, name: str, text: str, needed: tuple[str, ...]) -> None:
    (tmp_path / name).write_text(text)
    assert needs(tmp_path / name) == needed


def test_those_that_come_with_the_program() -> None:
    found = {name: needs(place) for name, place in reference().items()}
    assert found["random"] == ()
    assert found["c"] == ("make",)
    assert found["go"] == ("go",)
    assert found["typescript"][:1] == ("npm",)


def test_what_is_no_bot(tmp_path: Path) -> None:
    with pytest.raises(BadBot, match=r"bot.yaml"):
        needs(tmp_path)
    with pytest.raises(BadBot, match="none: No such file or directory"):
        needs(tmp_path / "none")
