"""Names that a file can have on any system."""

import pytest

from arena.archives.extract import is_portable


@pytest.mark.parametrize(
    "name",
    [
        *(
            "con",
            "CON",
            "aux.py",
            "nul.tar.gz",
            "prn .txt",
            "com1",
            "LPT9.c",
            "com\u00b2.py",
            "clock$",
        ),
        *(
            "CONIN$",
            "conout$.x",
            "bot.py:evil",
            "ab:c",
            "what?.py",
            "*",
            "a|b",
            "<a>",
            'say "hi".txt',
        ),
        *("a.", "...", "a ", "aux", "AUX.", "nul "),
    ],
)
def test_names_that_not_every_system_can_keep(name: str) -> None:
    assert not is_portable(name)


@pytest.mark.parametrize(
    "name",
    [
        *("console.py", "aux_.py", "com10", "a.con", "nulls", "com", ".con", "a b", "c..d", " a"),
        *("bot.yaml", "Makefile", "Schlüssel", "♠ und ♥.txt", "lpt", "auxiliary", "con-1", "a'b"),
    ],
)
def test_names_that_all_can_keep(name: str) -> None:
    assert is_portable(name)
