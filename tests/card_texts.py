"""Cards in tests, written as their tokens."""

from arena.cards import NUMBER, Card


def cards(text: str) -> tuple[Card, ...]:
    """Cards from a line: `cards("R5 G0 B3")`."""
    tokens = tuple(text.split())
    assert all(token in NUMBER for token in tokens), text
    return tokens
