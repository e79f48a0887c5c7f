"""Tokens that identify the owners of bots; only their hashes are stored."""

import hashlib
import secrets
from hmac import compare_digest
from typing import Final

from arena.errors import ArenaError
from arena.ladder.names import NAME_PATTERN, canonical_name, find_look_alike
from arena.ladder.registry import BadSubmission, Registry, utc_now

TOKEN_BYTES: Final = 32
TOKEN_PREFIX: Final = "stich_"
"""So that people and programs that look for leaked secrets know one when they see it."""


def hash_token(token: str) -> bytes:
    """What is kept of a token; it has too many bits for anybody to try them."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def canonical_owner(registry: Registry, owner: str) -> str:
    """The name of an owner as the ladder knows it; refused if it looks like another owner's."""
    known = registry.owners()
    found = canonical_name(owner, known)
    if found is None and (other := find_look_alike(owner, known)):
        raise BadSubmission(
            f"the owner's name {owner} looks like {other}, which another owner has; choose a name "
            "that differs in more than capitals, dots, dashes, underscores and similar characters"
        )
    return found or owner


def issue(registry: Registry, owner: str) -> str:
    """A new token for an owner; the one before is worth nothing from now on."""
    if not NAME_PATTERN.match(owner):
        raise ArenaError(
            f"{owner!r} cannot be an owner's name; it takes letters, digits, dot, dash and "
            "underscore, at most 32"
        )
    owner = canonical_owner(registry, owner)
    token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    registry.write(
        "INSERT INTO owner (name, token, since) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET token = excluded.token",
        owner,
        hash_token(token),
        utc_now(),
    )
    return token


def revoke(registry: Registry, owner: str) -> bool:
    """Let a token be worth nothing; whether there was one."""
    query = "UPDATE owner SET token = NULL WHERE name = ? AND token IS NOT NULL"
    return registry.write(query, canonical_name(owner, registry.owners()) or owner) > 0


def find_owner(registry: Registry, token: str) -> str | None:
    """Whose token it is."""
    wanted = hash_token(token)
    rows = registry.rows("SELECT name, token FROM owner WHERE token = ?", wanted)
    # The column "token" is a blob, so bytes() accepts it; mypy cannot know that.
    same = (name for name, kept in rows if compare_digest(bytes(kept), wanted))  # type: ignore[call-overload]
    return next((str(name) for name in same), None)


def list_owners(registry: Registry) -> list[tuple[str, bool, str]]:
    """All owners by name, whether each has a token, and since when it is known."""
    rows = registry.rows("SELECT name, token IS NOT NULL, since FROM owner ORDER BY name")
    return [(str(name), bool(token), str(since)) for name, token, since in rows]
