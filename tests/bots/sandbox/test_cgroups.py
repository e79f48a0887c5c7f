"""Control groups: where they can be made, and what is written into them."""

import os
from pathlib import Path

import pytest

from arena.bots.sandbox.cgroups import NAME_PREFIX, Cgroups, can_create_groups, find_cgroups
from arena.bots.sandbox.limits import ResourceLimits

LIMITS = ResourceLimits(memory=64, processes=7)
OLD = "4:memory:/jobs/7\n8:pids:/\n6:freezer:/\n2:cpuacct,cpu:/\n0::/\n"


def tree(top: Path, *folders: str) -> Path:
    """Folders as the kernel shows them."""
    for folder in folders:
        (top / folder).mkdir(parents=True)
    return top


def test_the_first_version_has_a_folder_for_each_kind(tmp_path: Path) -> None:
    top = tree(tmp_path, "memory/jobs/7", "pids", "freezer", "unified")
    here = find_cgroups(OLD, top)
    assert here == Cgroups(1, f"{top}/memory/jobs/7", f"{top}/pids", f"{top}/unified")
    assert here.has_controllers
    memory, pids, unified = here.bot_cgroups("a-1", LIMITS)
    assert memory.path == f"{top}/memory/jobs/7/stichkampf-a-1"
    assert dict(memory.limits)["memory.limit_in_bytes"] == str(64 << 20)
    assert pids.limits == (("pids.max", "8"),), "bubblewrap is one of them"
    assert unified.limits == ()
    assert here.cgroup_folder("a-1") == unified.path


def test_a_read_only_hierarchy_is_ignored(tmp_path: Path) -> None:
    top = tree(tmp_path, "pids", "freezer")
    here = find_cgroups(OLD, top)
    assert here
    assert here.memory is here.unified is here.cgroup_folder("a-1") is None
    assert not here.has_controllers


def test_no_cgroup_without_a_writable_folder(tmp_path: Path) -> None:
    assert find_cgroups("0::/user.slice\n", tmp_path) is None


@pytest.fixture
def second(tmp_path: Path) -> Path:
    """The second version, in which a folder's files are what the kernel would show."""
    own = tree(tmp_path, "user.slice/run-1.scope") / "user.slice/run-1.scope"
    (tmp_path / "cgroup.controllers").write_text("cpu memory pids")
    (own / "cgroup.subtree_control").write_text("memory pids")
    return tmp_path


def test_the_second_version_has_one_folder_for_all(second: Path) -> None:
    here = find_cgroups("0::/user.slice/run-1.scope\n", second)
    own = f"{second}/user.slice/run-1.scope"
    assert here == Cgroups(2, own, own, own)
    (group,) = here.bot_cgroups("a-1", LIMITS)
    assert group.path == f"{own}/stichkampf-a-1"
    assert here.cgroup_folder("a-1") == group.path
    assert dict(group.limits) == {
        "memory.max": str(64 << 20),
        "memory.swap.max": "0",
        "memory.oom.group": "1",
        "pids.max": "8",
    }


def test_a_process_in_a_child_group_finds_the_parent_group(second: Path) -> None:
    (second / "user.slice/run-1.scope/stichkampf.main").mkdir()
    here = find_cgroups("0::/user.slice/run-1.scope/stichkampf.main\n", second)
    assert here
    assert here.memory == f"{second}/user.slice/run-1.scope"


def test_two_processes_probe_cgroups_at_the_same_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One process clears up while another one tries out whether it can make groups."""
    remove = Path.rmdir
    seen: list[str] = []

    def late(group: Path) -> None:
        monkeypatch.setattr(Path, "rmdir", remove)
        monkeypatch.setattr(os, "getpid", os.getppid)  # as another one that lives
        Cgroups(1, str(tmp_path), str(tmp_path)).remove_stale_groups()
        seen.extend(path.name for path in tmp_path.iterdir())
        remove(group)

    own = f"{NAME_PREFIX}-{os.getpid()}-trial"
    monkeypatch.setattr(Path, "rmdir", late)
    assert can_create_groups(tmp_path)
    assert seen == [own]


def test_a_trial_that_is_cleared_up_has_succeeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By somebody who does not see our process, as from another container."""
    remove = Path.rmdir

    def twice(group: Path) -> None:
        remove(group)
        remove(group)

    monkeypatch.setattr(Path, "rmdir", twice)
    assert can_create_groups(tmp_path)
    assert not can_create_groups(tmp_path / "nowhere")
