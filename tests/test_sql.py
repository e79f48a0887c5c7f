"""SQL is in the store and in the ladder's registry, and nowhere else."""

import ast
import re
from pathlib import Path

import pytest

ARENA = Path(__file__).parent.parent / "arena"
SQL_CALLS = {"execute", "executemany", "executescript"}
STATEMENT = re.compile(
    r"\b(SELECT\b.*\bFROM|INSERT\s+(OR\s+\w+\s+)?INTO|UPDATE\s+\w+\s+SET|DELETE\s+FROM"
    r"|CREATE\s+(TABLE|INDEX|VIEW)|ALTER\s+TABLE|PRAGMA)\b",
    re.DOTALL,
)


def may_have_sql(module: Path) -> bool:
    """Whether a module belongs to the store or to the ladder's registry."""
    path = module.relative_to(ARENA)
    return path.parts[0] == "store" or str(path).startswith("ladder/registry")


def is_sql(node: ast.AST) -> bool:
    """Whether a part of a program runs SQL or is a string with a statement."""
    if isinstance(node, ast.Attribute):
        return node.attr in SQL_CALLS
    return isinstance(node, ast.Constant) and bool(STATEMENT.search(str(node.value)))


def find_sql(tree: ast.AST) -> list[int]:
    """The lines that run SQL or contain a statement."""
    return [node.lineno for node in ast.walk(tree) if is_sql(node)]  # type: ignore[attr-defined]


def test_no_module_elsewhere_has_sql() -> None:
    found = [
        f"{module.relative_to(ARENA)}:{line}"
        for module in sorted(ARENA.rglob("*.py"))
        if not may_have_sql(module)
        for line in find_sql(ast.parse(module.read_text()))
    ]
    assert found == []


@pytest.mark.parametrize(
    ("code", "count"),
    [
        ("run.connection.execute(query)", 1),
        ("many = connection.executemany", 1),
        ("query = 'SELECT name\\nFROM bot'", 1),
        ("registry.write('UPDATE night SET ended = ?')", 1),
        ("query = f'DELETE FROM {table}'", 1),
        ("text = 'select a bot from the list'", 0),
    ],
)
def test_what_counts_as_sql(code: str, count: int) -> None:
    assert len(find_sql(ast.parse(code))) == count


def test_the_registry_and_the_store_have_some() -> None:
    for name in ("store/reading.py", "ladder/registry.py", "ladder/registry_schema.py"):
        assert find_sql(ast.parse((ARENA / name).read_text()))
