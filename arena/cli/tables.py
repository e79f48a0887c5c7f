"""Tables as Markdown has them."""

from collections.abc import Iterable, Sequence

from arena.cli.untrusted import markdown


def to_markdown(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, left: Iterable[int] = ()
) -> str:
    """A table as Markdown has it; numbers stand to the right, but for the columns named."""
    ends = set(left)
    rules = [":--" if index in ends else "--:" for index in range(len(titles))]
    lines = [map(markdown, titles), rules, *(map(markdown, row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
