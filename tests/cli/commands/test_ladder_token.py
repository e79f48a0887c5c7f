"""`arena ladder token` tells a token once."""

import json

from click.testing import Result

from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from arena.ladder.tokens import find_owner
from tests.cli.runs import asked


def token(ladder: Ladder, *words: str) -> Result:
    return asked("ladder", "token", ladder.folder, *words)


def owner(ladder: Ladder, given: str) -> str | None:
    with Registry.open(ladder.folder) as registry:
        return find_owner(registry, given)


def test_a_token_for_somebody(bare: Ladder) -> None:
    assert token(bare).stdout == "Nobody has a token yet; arena ladder token DIR NAME gives one.\n"
    done = token(bare, "ann")
    assert done.exit_code == 0
    assert done.stderr == "This is the token of ann; it is not shown again.\n"
    given = done.stdout.strip()
    assert owner(bare, given) == "ann", "what goes into a pipe is nothing but the token"
    listed = token(bare).stdout
    assert listed.startswith("ann  has a token  since 20")
    assert given not in listed
    told = json.loads(token(bare, "bob", "--json").stdout)
    assert owner(bare, told["token"]) == told["owner"] == "bob"
    assert [one["owner"] for one in json.loads(token(bare, "--json").stdout)] == ["ann", "bob"]


def test_tokens_that_are_worth_nothing(bare: Ladder) -> None:
    first = token(bare, "ann").stdout.strip()
    second = token(bare, "ann").stdout.strip()
    assert (owner(bare, first), owner(bare, second)) == (None, "ann")
    done = token(bare, "ann", "--revoke")
    assert done.stdout == "The token of ann is worth nothing any more.\n"
    assert owner(bare, second) is None
    assert token(bare).stdout.startswith("ann  no token  since")


def test_what_is_wrong(bare: Ladder) -> None:
    for words, said in (
        (("bob", "--revoke"), "Error: bob has no token\n"),
        (("--revoke",), "Error: --revoke wants to know whose token: add NAME\n"),
        (("a b",), "Error: 'a b' cannot be an owner's name; it takes letters, digits, dot, dash"),
        (("\x1b[31m",), "Error: '\\x1b[31m' cannot be an owner's name"),
    ):
        done = token(bare, *words)
        assert done.exit_code == 2
        assert done.stderr.startswith(said)
        assert "\x1b" not in done.output
    (bare.folder / "ladder.yaml").unlink()
    assert "is not a ladder: it has no ladder.yaml" in token(bare, "ann").stderr
