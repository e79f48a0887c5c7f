"""`arena ladder token` tells a token once."""

import json

from click.testing import Result

from arena.ladder.folder import Ladder
from arena.ladder.registry import Registry
from arena.ladder.tokens import find_owner
from tests.cli.invoke import invoke_arena


def token(ladder: Ladder, *words: str) -> Result:
    return invoke_arena("ladder", "token", ladder.folder, *words)


def owner(ladder: Ladder, given: str) -> str | None:
    with Registry.open(ladder.folder) as registry:
        return find_owner(registry, given)


def test_a_token_is_issued(empty_ladder: Ladder) -> None:
    assert (
        token(empty_ladder).stdout
        == "Nobody has a token yet; arena ladder token DIR NAME gives one.\n"
    )
    done = token(empty_ladder, "ann")
    assert done.exit_code == 0
    assert done.stderr == "This is the token of ann; it is not shown again.\n"
    given = done.stdout.strip()
    assert owner(empty_ladder, given) == "ann", "what goes into a pipe is nothing but the token"
    listed = token(empty_ladder).stdout
    assert listed.startswith("ann  has a token  since 20")
    assert given not in listed
    told = json.loads(token(empty_ladder, "bob", "--json").stdout)
    assert owner(empty_ladder, told["token"]) == told["owner"] == "bob"
    assert [one["owner"] for one in json.loads(token(empty_ladder, "--json").stdout)] == [
        "ann",
        "bob",
    ]


def test_tokens_are_revoked(empty_ladder: Ladder) -> None:
    first = token(empty_ladder, "ann").stdout.strip()
    second = token(empty_ladder, "ann").stdout.strip()
    assert (owner(empty_ladder, first), owner(empty_ladder, second)) == (None, "ann")
    done = token(empty_ladder, "ann", "--revoke")
    assert done.stdout == "The token of ann is worth nothing any more.\n"
    assert owner(empty_ladder, second) is None
    assert token(empty_ladder).stdout.startswith("ann  no token  since")


def test_wrong_arguments_are_rejected(empty_ladder: Ladder) -> None:
    for words, said in (
        (("bob", "--revoke"), "Error: bob has no token\n"),
        (("--revoke",), "Error: --revoke wants to know whose token: add NAME\n"),
        (("a b",), "Error: 'a b' cannot be an owner's name; it takes letters, digits, dot, dash"),
        (("\x1b[31m",), "Error: '\\x1b[31m' cannot be an owner's name"),
    ):
        done = token(empty_ladder, *words)
        assert done.exit_code == 2
        assert done.stderr.startswith(said)
        assert "\x1b" not in done.output
    (empty_ladder.folder / "ladder.yaml").unlink()
    assert "is not a ladder: it has no ladder.yaml" in token(empty_ladder, "ann").stderr
