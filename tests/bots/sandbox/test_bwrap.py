"""The options of bubblewrap for a bot."""

import resource
from pathlib import Path

import pytest

from arena.bots.sandbox.bwrap import SandboxedProgram, SandboxSupport, bwrap_command
from arena.bots.sandbox.limits import ResourceLimits

USER = 61_007
PLAIN = SandboxSupport("/usr/bin/bwrap", "x86_64", is_root=False, links=(("/bin", "usr/bin"),))
ROOT = SandboxSupport("/usr/bin/bwrap", "x86_64", is_root=True, setpriv="/usr/bin/setpriv")


@pytest.fixture
def bot(tmp_path: Path) -> SandboxedProgram:
    folder = tmp_path / "fox"
    folder.mkdir()
    return SandboxedProgram(
        (f"{folder}/run", "--data", f"{folder}/table.bin", "-v"), folder, ("/opt/py",)
    )


def pairs(argv: list[str]) -> list[tuple[str, ...]]:
    """Every option with the word after it, and the one after that."""
    return [tuple(argv[at : at + 3]) for at, word in enumerate(argv) if word.startswith("--")]


def test_the_bot_folder_is_copied_to_a_tmpfs(bot: SandboxedProgram) -> None:
    command = bwrap_command(bot, ResourceLimits(), PLAIN, USER)
    assert str(bot.path) not in command.argv, "no path of the host is mounted"
    assert ("--tmpfs", "/bot", "--chdir") in pairs(command.argv)
    asked = command.reaper_request([], {})["sandbox"]["mounts"]
    assert (asked["source"], asked["target"]) == (str(bot.path), "/bot")
    assert command.program == ["/bot/run", "--data", "/bot/table.bin", "-v"]
    assert not [word for word in command.argv if word == "--bind"]


def test_a_script_sees_no_other_files_of_its_folder(tmp_path: Path) -> None:
    script = tmp_path / "fox.py"
    script.touch()
    command = bwrap_command(
        SandboxedProgram(("/usr/bin/python3", str(script)), script), ResourceLimits(), PLAIN, USER
    )
    asked = command.reaper_request([], {})["sandbox"]["mounts"]
    assert (asked["source"], asked["target"]) == (str(script), "/bot/fox.py")
    assert command.program == ["/usr/bin/python3", "/bot/fox.py"]
    assert str(tmp_path) not in command.argv


def test_only_system_and_interpreter_folders_are_mounted(bot: SandboxedProgram) -> None:
    command = bwrap_command(bot, ResourceLimits(), PLAIN, USER)
    shown = {argv[1] for argv in pairs(command.argv) if argv[0] == "--ro-bind"}
    assert shown == {"/usr", "/opt/py"}


def test_copies_of_system_folders_can_be_mounted(bot: SandboxedProgram) -> None:
    command = bwrap_command(bot, ResourceLimits(), PLAIN, USER, lambda path: f"/memory{path}")
    shown = {argv[1:] for argv in pairs(command.argv) if argv[0] == "--ro-bind"}
    assert shown == {("/memory/usr", "/usr"), ("/memory/opt/py", "/opt/py")}


@pytest.mark.parametrize("machine", [PLAIN, ROOT])
def test_all_namespaces_are_unshared(bot: SandboxedProgram, machine: SandboxSupport) -> None:
    argv = bwrap_command(bot, ResourceLimits(), machine, USER).argv
    for kind in ("pid", "net", "ipc", "uts", "cgroup-try"):
        assert f"--unshare-{kind}" in argv
    assert ("--unshare-user" in argv) == (not machine.is_root)
    assert {"--die-with-parent", "--new-session", "--clearenv"} <= set(argv)
    assert argv[-2:] == ["--remount-ro", "/"], "nothing at the top can be written to"


def test_root_switches_to_an_unprivileged_user(bot: SandboxedProgram) -> None:
    command = bwrap_command(bot, ResourceLimits(), ROOT, USER)
    who = [f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    assert command.program[:4] == ["/usr/bin/setpriv", *who]
    assert command.program[-4:] == ["/bot/run", "--data", "/bot/table.bin", "-v"]
    kept = [argv[1] for argv in pairs(command.argv) if argv[0] == "--cap-add"]
    assert kept == ["CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP"], "which setpriv gives up"


def test_limits_are_in_bytes(bot: SandboxedProgram) -> None:
    command = bwrap_command(bot, ResourceLimits(tmp=7, processes=9, memory=100), PLAIN, USER)
    rooms = [argv for argv in pairs(command.argv) if argv[0] == "--size"]
    assert [int(room[1]) >> 20 for room in rooms] == [8, 7, 1]
    assert command.rlimits[resource.RLIMIT_NPROC] == 9
    assert command.rlimits[resource.RLIMIT_DATA] == 400 << 20
    assert command.rlimits[resource.RLIMIT_CORE] == 1
