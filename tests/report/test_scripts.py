"""Scripts that carry values: whatever is in a value, it only ever is one."""

import json
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.report.scripts import assign, call
from tests.cli.nasty import NASTY

TEXTS = [*NASTY.values(), "</script>", "__proto__", "\u2028", "\\u0022", "${x}", "`", "😀"]


@given(st.dictionaries(st.text(), st.lists(st.text() | st.integers() | st.none())))
def test_one_line_of_what_shows(value: dict[str, object]) -> None:
    script = assign("told", value).decode()
    inner = script.removeprefix("(globalThis.Stichkampf ??= {}).told = JSON.parse(")
    assert json.loads(json.loads(inner.removesuffix(");\n"))) == value
    assert script.removesuffix("\n").isprintable()


@pytest.mark.needs("node")
def test_what_a_browser_makes_of_it() -> None:
    """JavaScript reads the same texts, and a name such as `__proto__` changes nothing."""
    value = {text: [text, number] for number, text in enumerate(TEXTS)}
    program = (
        assign("told", value).decode()
        + "Stichkampf.take = (one) => (Stichkampf.taken = one);\n"
        + call("take", TEXTS).decode()
        + "if (Object.getPrototypeOf(Stichkampf.told) !== Object.prototype) throw 1;\n"
        + "console.log(JSON.stringify([Object.entries(Stichkampf.told), Stichkampf.taken]));\n"
    )
    done = subprocess.run(["node", "-"], input=program.encode(), capture_output=True, check=True)
    entries, taken = json.loads(done.stdout)
    assert dict(entries) == value
    assert taken == TEXTS
