"""Tokens: worth something until they are replaced, and nowhere to be read."""

from collections.abc import Iterator

import pytest

from arena.errors import ArenaError
from arena.ladder.folder import Ladder
from arena.ladder.names import NAME_PATTERN
from arena.ladder.registry import Registry
from arena.ladder.tokens import TOKEN_PREFIX, find_owner, issue_token, revoke_token


@pytest.fixture
def registry(empty_ladder: Ladder) -> Iterator[Registry]:
    with Registry.open(empty_ladder.folder) as opened:
        yield opened


def test_a_token_identifies_its_owner(registry: Registry) -> None:
    ann, bob = issue_token(registry, "ann"), issue_token(registry, "bob")
    assert ann.startswith(TOKEN_PREFIX)
    assert ann != bob
    assert (find_owner(registry, ann), find_owner(registry, bob)) == ("ann", "bob")


@pytest.mark.parametrize(
    "token", ["", "stich_", "' OR 1 = 1 --", "stich_\udcff", "\0", "x" * 10**5]
)
def test_wrong_tokens_identify_no_owner(registry: Registry, token: str) -> None:
    issue_token(registry, "ann")
    assert find_owner(registry, token) is None


def test_a_revoked_owner_has_no_token(registry: Registry) -> None:
    token = issue_token(registry, "ann")
    assert revoke_token(registry, "ann")
    assert find_owner(registry, token) is None
    assert not revoke_token(registry, "ann")
    assert not revoke_token(registry, "bob")
    assert [(name, has) for name, has, _ in registry.token_owners()] == [("ann", False)]
    again = issue_token(registry, "ann")
    assert (find_owner(registry, again), find_owner(registry, token)) == ("ann", None)


def test_a_new_token_invalidates_the_old_one(registry: Registry) -> None:
    first, second = issue_token(registry, "ann"), issue_token(registry, "ann")
    assert (find_owner(registry, first), find_owner(registry, second)) == (None, "ann")
    assert len(registry.token_owners()) == 1


def test_only_the_hash_is_kept(empty_ladder: Ladder) -> None:
    with Registry.open(empty_ladder.folder) as registry:
        tokens = [issue_token(registry, f"owner{number}") for number in range(5)]
        files = list(empty_ladder.folder.glob("run.db*"))
        assert len(files) > 1, "what was written last is in the log"
        told = b"".join(file.read_bytes() for file in files)
        assert b"owner3" in told
        for token in tokens:
            assert token.encode() not in told
            assert token.removeprefix(TOKEN_PREFIX).encode() not in told
    told = b"".join(file.read_bytes() for file in empty_ladder.folder.rglob("*") if file.is_file())
    assert not any(token.removeprefix(TOKEN_PREFIX).encode() in told for token in tokens)


@pytest.mark.parametrize("name", ["", " ", "a b", "a/b", "-a", ".a", "ann\n", "ä", "a" * 33, "<b>"])
def test_invalid_owner_names(registry: Registry, name: str) -> None:
    assert not NAME_PATTERN.match(name)
    with pytest.raises(ArenaError, match=r"cannot be an owner's name; it takes letters, digits"):
        issue_token(registry, name)
    assert registry.token_owners() == []
