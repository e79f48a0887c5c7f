"""Tables as the benchmarks print them."""

from rich.table import Table


def sheet(first: str, *figures: str) -> Table:
    """A table whose first column is text and whose others are figures."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="cyan")
    table.add_column(first)
    for name in figures:
        table.add_column(name, justify="right")
    return table
