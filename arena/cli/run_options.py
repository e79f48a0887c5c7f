"""Options that select a run, its cells and the output format."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from arena.cli import find_run
from arena.cli.completion import complete_run, complete_variant, is_variant
from arena.cli.find_run import RUNS_FOLDER
from arena.errors import ArenaError
from arena.games.catalog import variant
from arena.ratings.cell import Cell
from arena.sanitize import printable
from arena.store.database import RUN_FILE
from arena.store.run import Run
from arena.text import english_list

WILDCARDS = frozenset("*?[")
MAX_LISTED = 12
"""Runs that an error lists."""

OutputFormat = Literal["json", "csv", "markdown"]

F = TypeVar("F", bound=Callable[..., Any])


class EmptySelection(ArenaError):
    """Options that select no run, or no cell of a run."""


def run_argument(command: F) -> F:
    """The path or name of a run, as `run`."""
    path = click.Path(path_type=Path)
    return click.argument("run", required=False, type=path, shell_complete=complete_run)(command)


def cell_options(command: F) -> F:
    """The cells to use, as `variants` and `seats`."""
    seats = click.option(
        "--seats", "-s", multiple=True, type=int, metavar="N", help="Only tables of this size."
    )
    variants = click.option(
        "--variant",
        "-v",
        "variants",
        multiple=True,
        metavar="VARIANT",
        shell_complete=complete_variant,
        help="Only this variant, or those that match: 'sticheln+*'. Can be given again.",
    )
    return variants(seats(command))


def format_options(command: F) -> F:
    """The output format, as `form`."""
    for name, text in (
        ("markdown", "A Markdown table."),
        ("csv", "Comma-separated values, for spreadsheets."),
        ("json", "One JSON object, for programs."),
    ):
        command = click.option(f"--{name}", "form", flag_value=name, help=text)(command)
    return command


def run_folder(path: Path | None) -> Path:
    """The folder of a run: the named one, or the only one under `runs/`."""
    if path is not None:
        return find_run.find_run_folder(path)
    found = sorted(file.parent for file in RUNS_FOLDER.glob(f"*/{RUN_FILE}"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise EmptySelection(f"there is no run under {RUNS_FOLDER}; name the folder of one")
    names = english_list(printable(str(one)) for one in found[:MAX_LISTED])
    raise EmptySelection(f"which run? There are {len(found)}: {names}")


def select_cells(run: Run, variants: Sequence[str], seats: Sequence[int]) -> list[Cell]:
    """The cells of a run with one of these variants and sizes; no names mean all."""
    cells = run.cells()
    if not cells:
        return []
    patterns = [canonical_name(name) for name in variants]
    for given, pattern in zip(variants, patterns, strict=True):
        if not any(fnmatchcase(cell.variant, pattern) for cell in cells):
            has = english_list(sorted({cell.variant for cell in cells}))
            raise EmptySelection(f"no block of {run.folder} is of {given!r}; there are {has}")
    chosen = [
        cell
        for cell in cells
        if (not seats or cell.seats in seats)
        and (not patterns or any(fnmatchcase(cell.variant, pattern) for pattern in patterns))
    ]
    if not chosen:
        raise EmptySelection(
            f"no block of {run.folder} is at tables of {english_list(map(str, seats))}; "
            f"there are {'; '.join(map(str, cells))}"
        )
    return chosen


def canonical_name(name: str) -> str:
    """The name of a variant with its modifiers in canonical order; a pattern stays as it is."""
    typed = name.strip().lower()
    if WILDCARDS & set(typed) or not is_variant(typed):
        return typed
    return variant(typed).name
