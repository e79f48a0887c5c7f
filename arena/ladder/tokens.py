"""Tokens that identify the owners of bots; only their hashes are stored."""

import hashlib
import secrets
from hmac import compare_digest
from typing import Final

from arena.errors import ArenaError
from arena.ladder.names import NAME_PATTERN, canonical_name, find_look_alike
from arena.ladder.registry import BadSubmission, Registry

TOKEN_BYTES: Final = 32
TOKEN_PREFIX: Final = "stich_"
"""Lets people and programs that look for leaked secrets recognise a token."""


def hash_token(token: str) -> bytes:
    """The hash that is stored of a token; a token is too long to be guessed."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def canonical_owner(registry: Registry, owner: str) -> str:
    """The name of an owner as the ladder knows it; rejects one that looks like another owner's."""
    known = registry.owners()
    found = canonical_name(owner, known)
    if found is None and (other := find_look_alike(owner, known)):
        raise BadSubmission(
            f"the owner's name {owner} looks like {other}, which another owner has; choose a name "
            "that differs in more than capitals, dots, dashes, underscores and similar characters"
        )
    return found or owner


def issue_token(registry: Registry, owner: str) -> str:
    """Make a new token for an owner, which replaces the one before."""
    if not NAME_PATTERN.match(owner):
        raise ArenaError(
            f"{owner!r} cannot be an owner's name; it takes letters, digits, dot, dash and "
            "underscore, at most 32"
        )
    owner = canonical_owner(registry, owner)
    token = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
    registry.set_token(owner, hash_token(token))
    return token


def revoke_token(registry: Registry, owner: str) -> bool:
    """Revoke the token of an owner; return whether there was one."""
    return registry.delete_token(canonical_name(owner, registry.owners()) or owner)


def find_owner(registry: Registry, token: str) -> str | None:
    """The owner of a token, or None."""
    wanted = hash_token(token)
    found = registry.find_tokens(wanted)
    return next((name for name, stored in found if compare_digest(stored, wanted)), None)
