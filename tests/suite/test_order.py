"""The order of modules."""

import json
from itertools import groupby
from types import SimpleNamespace
from typing import Any

import pytest

from tests.suite import order

NAMES = [f"tests/{module}.py::test_{test}" for module in "abc" for test in range(4)]


def items() -> list[Any]:
    return [SimpleNamespace(nodeid=name) for name in NAMES]


def modules(found: list[Any]) -> list[str]:
    return list(dict.fromkeys(order.module_path(item.nodeid) for item in found))


def test_the_longest_module_is_first(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any, pytestconfig: pytest.Config
) -> None:
    recorded = tmp_path / "durations.json"
    recorded.write_text(json.dumps({"b.py": 3.0, "c.py": 7.5}))
    monkeypatch.setattr(order, "RECORDED", recorded)
    monkeypatch.setattr(pytestconfig.option, "shuffle", None)
    found = items()
    order.pytest_collection_modifyitems(pytestconfig, found)
    assert modules(found) == ["c.py", "b.py", "a.py"]
    assert [item.nodeid for item in found[-4:]] == NAMES[:4]


def test_a_seed_is_an_order_of_whole_modules() -> None:
    orders = set()
    for seed in range(20):
        found, again = items(), items()
        order.shuffle(found, str(seed))
        order.shuffle(again, str(seed))
        names = [item.nodeid for item in found]
        assert names == [item.nodeid for item in again]
        assert sorted(names) == sorted(NAMES)
        assert len(modules(found)) == len(list(groupby(names, order.module_path)))
        orders.add(tuple(names))
    assert len(orders) > 1
