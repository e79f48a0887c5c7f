"""The tables of the protocol's page: `python -m tests.protocol.readme_tables` rewrites them."""

import re
from pathlib import Path
from typing import Any

from arena.protocol.schema import TAG_FIELD, protocol_schema

README = Path(__file__).parent.parent.parent / "protocol" / "README.md"
TABLE = re.compile(r"^\| (\w+) \| type \| \|\n(?:\|.*\n)+", re.MULTILINE)
DEFINITIONS: dict[str, dict[str, Any]] = protocol_schema()["$defs"]


def words(field: dict[str, Any]) -> str:
    """The type of a field, in words."""
    if "$ref" in field:
        return f"`{field['$ref'].rpartition('/')[2]}`"
    if "anyOf" in field:
        return " or ".join(map(words, field["anyOf"]))
    if "enum" in field:
        return " or ".join(f"`{value}`" for value in field["enum"])
    if field["type"] == "array":
        return f"list of {several(words(field['items']))}"
    low, high = field.get("minimum"), field.get("maximum")
    if high is not None and high < 2**53 - 1:
        return f"{field['type']} {low}–{high}"
    return f"{field['type']} ≥ {low}" if low is not None else str(field["type"])


def several(kind: str) -> str:
    """The type of things in a list, in words."""
    first, *rest = kind.split()
    if " or " in kind:
        return f"({kind})"
    return kind if first.startswith("`") else " ".join([f"{first}s", *rest])


def row(name: str, key: str) -> str:
    """The row of a field."""
    definition = DEFINITIONS[name]
    field = definition["properties"][key]
    kind = words(field)
    if key not in definition["required"]:
        kind = f"{kind.removesuffix(' or null')}, optional"
    if default := field.get("default"):
        kind = f"{kind}, else {default}"
    return f"| `{key}` | {kind} | {field.get('description', 'Which message it is.')} |\n"


def make_table(name: str) -> str:
    """The table of a definition."""
    keys = sorted(DEFINITIONS[name]["properties"], key=lambda key: key != TAG_FIELD)
    return f"| {name} | type | |\n|---|---|---|\n" + "".join(row(name, key) for key in keys)


def find_tables(text: str) -> dict[str, str]:
    """The tables of a page by the definitions they explain."""
    return {match[1]: match[0] for match in TABLE.finditer(text)}


def main() -> None:
    text = README.read_text()
    README.write_text(TABLE.sub(lambda match: make_table(match[1]), text))


if __name__ == "__main__":
    main()
