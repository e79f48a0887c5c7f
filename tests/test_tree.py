"""The tree of packages: what every README lists, and the names of modules and classes."""

import ast
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parent.parent
PROGRAM: Final = ROOT / "arena"
MODULES: Final = sorted(PROGRAM.rglob("*.py"))
PACKAGES: Final = sorted(file.parent for file in PROGRAM.rglob("__init__.py"))
UNLISTED: Final = {"__init__", "__main__"}

MAX_LINES: Final = 500
"""Lines of the longest module."""

METAPHORS: Final = frozenset(
    {
        *("warden", "inmate", "walls", "foreman", "handover", "court", "hearing", "patrol"),
        *("patience", "switchboard", "rehearsal", "duel", "labour", "sitting", "evening", "halt"),
        *("shelf", "station", "envoy", "ledger", "clerk", "desk", "worlds"),
    }
)
"""Words that name nothing in the field; modules and classes of earlier versions had them."""


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def modules(package: Path) -> list[str]:
    """The names of the modules of a package, without those of its sub-packages."""
    return sorted(file.stem for file in package.glob("*.py") if file.stem not in UNLISTED)


def page_of(package: Path) -> Path:
    """The README of a package, or of the package it is part of, but not that of the program."""
    folder = package
    while not (folder / "README.md").exists() and folder.parent != PROGRAM:
        folder = folder.parent
    return folder / "README.md"


def listed_names(page: Path) -> set[str]:
    """The last part of every path or dotted name that a page has in backticks."""
    quoted = re.findall(r"`([^`\n]+)`", page.read_text())
    words = (word for text in quoted for word in re.findall(r"[\w/.]+", text))
    return {re.split(r"[/.]", word.rstrip("/").removesuffix(".py"))[-1] for word in words}


def classes(file: Path) -> Iterator[str]:
    """The names of the classes of a module."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.ClassDef):
            yield node.name


def words_of(name: str) -> set[str]:
    """The words of a name in snake_case or CamelCase, in small letters."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_every_module_is_listed(package: Path) -> None:
    page = page_of(package)
    assert page.exists(), f"{name_of(package)} has no README"
    missing = set(modules(package)) - listed_names(page)
    assert not missing, f"{name_of(page)} does not list {', '.join(sorted(missing))}"


def test_every_package_is_listed() -> None:
    packages = {package.name for package in PACKAGES if package.parent == PROGRAM}
    missing = packages - listed_names(PROGRAM / "README.md")
    assert not missing


def dotted_names(page: Path) -> list[str]:
    """The dotted names in backticks that begin with a package of the program."""
    packages = {package.name for package in PACKAGES if package.parent == PROGRAM}
    quoted = re.findall(r"`(\w+(?:\.\w+)+)`", page.read_text())
    return [name for name in quoted if name.partition(".")[0] in packages]


@pytest.mark.parametrize("name", dotted_names(PROGRAM / "README.md"))
def test_every_named_function_exists(name: str) -> None:
    """The flows of the program's page name modules, classes and functions that exist."""
    assert pkgutil.resolve_name(f"arena.{name}")


def test_no_class_name_is_used_twice() -> None:
    places = defaultdict(list)
    for file in MODULES:
        for name in classes(file):
            places[name].append(name_of(file))
    assert not {name: files for name, files in places.items() if len(files) > 1}


def test_no_module_is_too_long() -> None:
    lengths = {name_of(file): file.read_text().count("\n") for file in MODULES}
    assert not {name: lines for name, lines in lengths.items() if lines > MAX_LINES}


def test_names_are_terms_of_the_field() -> None:
    names = {name_of(file): {file.stem, *classes(file)} for file in MODULES}
    found = {
        file: sorted(name for name in named if METAPHORS & words_of(name))
        for file, named in names.items()
    }
    assert not {file: bad for file, bad in found.items() if bad}
