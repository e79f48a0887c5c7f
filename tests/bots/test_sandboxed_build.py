"""Builds by strangers, in a real sandbox: each is refused or harmless, and leaves nothing."""

import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import structs

from arena.bots import build as bots_build
from arena.bots import build_folder, sandboxed_build
from arena.bots.bot import Bot, load_bot
from arena.bots.build import BuildSettings
from arena.bots.sandbox import bwrap_build
from arena.bots.sandbox.host import SandboxUnavailable
from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel
from arena.bots.sandbox.sandbox import select_sandbox
from arena.errors import BadBot
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.toolchains import make_rustup_stub, make_toolchain
from tests.suite.tools import require, skip_without_sandbox

pytestmark = pytest.mark.slow

SECRET = "nobody-is-to-read-this"
GOOD = "mkdir -p out; cp /bin/true out/bot\n"


@pytest.fixture
def settings() -> BuildSettings:
    """Settings with a sandbox, and without the network."""
    try:
        return BuildSettings(select_sandbox(SandboxLevel.STANDARD, ResourceLimits()))
    except SandboxUnavailable as why:
        skip_without_sandbox(why)


@pytest.fixture(autouse=True)
def cache(
    settings: BuildSettings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Path]:
    """A place for builds, in which there is nothing but builds in the end, and no process."""
    assert settings.sandbox.support, "and it was tried out before"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("A_SECRET", SECRET)
    place = tmp_path / "cache" / "stichkampf" / "builds"
    tmp = Path(tempfile.gettempdir())
    before = set(tmp.iterdir())
    with check_no_leftovers():
        yield place
    assert {path.suffix for path in place.iterdir()} <= {"", ".lock"}, "no yard is left"
    assert not [path for path in set(tmp.iterdir()) - before if "hostile" in path.name]


def bot(tmp_path: Path, script: str, keys: str = "", build: str = "[sh, build.sh]") -> Path:
    """A bot that is built by a script, of the shell's if nothing else is said."""
    folder = tmp_path / "bot"
    folder.mkdir(parents=True)
    (folder / "bot.yaml").write_text(f"name: hostile\nrun: [./out/bot]\nbuild: {build}\n{keys}\n")
    (folder / "build.sh").write_text(script)
    return folder


def build_error(folder: Path, settings: BuildSettings) -> str:
    """What is said of a bot that cannot be built."""
    with pytest.raises(BadBot) as error:
        load_bot(folder, settings)
    return str(error.value)


def python(tmp_path: Path, script: str) -> Path:
    return bot(tmp_path, script, build="[python3, build.sh]")


def test_built_files_are_readable_by_all_users(tmp_path: Path, settings: BuildSettings) -> None:
    made = load_bot(bot(tmp_path, f"umask 077; {GOOD} echo data > out/data"), settings)
    for path in [made.folder, *made.folder.rglob("*")]:
        status = path.lstat()
        assert (status.st_uid, status.st_gid) == (os.geteuid(), os.getegid())
        executable = path.is_dir() or path.name == "bot"
        assert stat.S_IMODE(status.st_mode) == (0o755 if executable else 0o644), path


def test_a_build_sees_no_other_processes(tmp_path: Path, settings: BuildSettings) -> None:
    script = f"{GOOD} ls /proc | grep '^[0-9]' > out/pids; hostname > out/name; id -u > out/user"
    out = load_bot(bot(tmp_path, script), settings).folder / "out"
    assert len((out / "pids").read_text().split()) < 6
    assert (out / "name").read_text() == "bot\n"
    assert (out / "user").read_text() != "0\n"


def test_a_cargo_without_a_toolchain_is_not_used(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is the rustc beside it, though it comes first on the PATH and can be seen."""
    make_rustup_stub(tmp_path / "kit" / "rustup")
    make_toolchain(tmp_path / "kit" / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/kit/rustup:{tmp_path}/kit/bin:{os.environ['PATH']}")
    folder = bot(tmp_path, "", build="[cargo, build]")
    (folder / "source").write_text("#!/bin/sh\n")
    assert load_bot(folder, settings).folder.is_dir()


CALL = """
import socket, sys
for address in [("127.0.0.1", {port}), "\\0stichkampf-{port}"]:
    try:
        with socket.socket(socket.AF_UNIX if isinstance(address, str) else socket.AF_INET) as here:
            here.connect(address)
            here.sendall(b"hello")
    except OSError as error:
        print(error)
sys.exit({status})
"""


@pytest.mark.parametrize("network", [False, True], ids=["off", "on"])
def test_the_network(tmp_path: Path, settings: BuildSettings, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as other:
        port = server.getsockname()[1]
        other.bind(f"\0stichkampf-{port}")
        other.listen()
        folder = python(tmp_path, CALL.format(port=port, status=3))
        if network:
            with (folder / "bot.yaml").open("a") as manifest:
                manifest.write("build_network: true\n")
        message = build_error(folder, BuildSettings(settings.sandbox, allows_network=network))
        hint = "" if network else "; it had no network, which 'build_network: true' asks for"
        assert f"failed with exit status 3{hint}:" in message
        for listening in (server, other):
            listening.settimeout(0)
            if network:
                listening.accept()[0].close()
            else:
                with pytest.raises(BlockingIOError):
                    listening.accept()


def test_a_build_cannot_read_files_of_the_host(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = tmp_path / "secret"
    secret.write_text(SECRET)
    monkeypatch.setenv("HOME", str(tmp_path))
    places = f"{secret} $HOME {tmp_path} /root /home /etc/shadow /proc/*/environ /proc/*/cmdline"
    search = f"env; cat {places}; grep -rs {SECRET} /tmp /dev/shm {tmp_path}; true"
    script = f"{GOOD} ({search}) > out/found 2>&1"
    out = load_bot(bot(tmp_path, script), settings).folder / "out"
    found = (out / "found").read_text()
    assert SECRET not in found
    assert not any(line.startswith("root:") for line in found.splitlines())


def test_a_build_cannot_write_outside_its_folder(tmp_path: Path, settings: BuildSettings) -> None:
    places = f"/ /usr /etc /bin /dev /proc /root /home /var {tmp_path} {tmp_path}/bot /bot/.."
    script = (
        f"for place in {places}; do echo x > $place/hostile && echo $place >> out/could; done\n"
    )
    script += "echo x > /tmp/hostile; echo x > /dev/shm/hostile; mount -t tmpfs x /usr; true"
    made = load_bot(bot(tmp_path, GOOD + script), settings)
    assert not (made.folder / "out/could").exists()
    assert not (tmp_path / "hostile").exists()


def test_background_processes_of_a_build_are_killed(
    tmp_path: Path, settings: BuildSettings
) -> None:
    leave = "trap '' TERM HUP INT; sleep 1000 & setsid sleep 1000 & (setsid sh -c 'sleep 1000 &') &"
    load_bot(bot(tmp_path, f"{GOOD} {leave}"), settings)


@pytest.mark.parametrize("status", [1, 137, 200, 255])
def test_a_build_that_fails(tmp_path: Path, settings: BuildSettings, status: int) -> None:
    """Also with a status that a shell has for programs that were killed."""
    message = build_error(bot(tmp_path, f"echo no; exit {status}"), settings)
    assert f"failed with exit status {status};" in message


def test_a_build_that_runs_for_ever(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bots_build, "BUILD_TIMEOUT", 1)
    script = "trap '' TERM HUP INT; setsid sleep 1000 & while true; do sleep 1000; done"
    message = build_error(bot(tmp_path, script), settings)
    assert message == f"{tmp_path}/bot: the build '/usr/bin/sh build.sh' took more than 1 s"


def test_a_fork_bomb(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        bwrap_build, "BUILD_LIMITS", structs.replace(bwrap_build.BUILD_LIMITS, processes=32)
    )
    monkeypatch.setattr(sandboxed_build, "BUILD_LIMITS", bwrap_build.BUILD_LIMITS)
    monkeypatch.setattr(bots_build, "BUILD_TIMEOUT", 2)
    script = "import os\nwhile True:\n try: os.fork()\n except OSError: pass\n"
    assert "took more than 2 s" in build_error(python(tmp_path, script), settings)


def test_too_much_memory(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        bwrap_build, "BUILD_LIMITS", structs.replace(bwrap_build.BUILD_LIMITS, memory=64)
    )
    monkeypatch.setattr(sandboxed_build, "BUILD_LIMITS", bwrap_build.BUILD_LIMITS)
    script = "import time\nheld = b'x' * (150 << 20)\ntime.sleep(60)\n"
    assert "took more than 64 MiB of memory" in build_error(python(tmp_path, script), settings)


MAPPED = """
import mmap, os, time
file = os.open("big", os.O_RDWR | os.O_CREAT)
os.truncate(file, 64 << 20)
block = mmap.mmap(file, 64 << 20)
os.unlink("big"), os.close(file)
block[:] = bytes(64 << 20)
time.sleep(60)
"""
DISK = {
    "file": "dd if=/dev/zero of=big bs=1M count=64",
    "tmp": "dd if=/dev/zero of=/tmp/big bs=1M count=64",
    "many": "i=0; while [ $i -lt 3000 ]; do : > empty$i; i=$((i+1)); done",
    "unlinked": "exec 3>big; rm big; dd if=/dev/zero bs=1M count=64 >&3",
    "unlinked and mapped": f"python3 -c '{MAPPED}'",
    "deep": "mkdir a; cd a; dd if=/dev/zero of=big bs=1M count=64",
}


@pytest.mark.parametrize("how", DISK)
def test_a_build_that_fills_the_disk(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(sandboxed_build, "DISK_LIMIT", 8)
    message = build_error(bot(tmp_path, f"{DISK[how]}; sleep 60"), settings)
    assert message.endswith("took up more than 8 MiB on the disk")


def test_a_build_that_makes_many_files(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stopped before they are all counted, and also if it is done by then."""
    monkeypatch.setattr(build_folder, "MAX_ENTRIES", 1000)
    for wait in ("sleep 60", "true"):
        script = f"mkdir -p out; cd out; cp /bin/true bot; {DISK['many']}; {wait}"
        message = build_error(bot(tmp_path / wait, script), settings)
        assert message.endswith("made more than 1,000 files and folders")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is hidden from root")
def test_a_build_that_leaves_an_unreadable_folder(tmp_path: Path, settings: BuildSettings) -> None:
    message = build_error(bot(tmp_path, f"{GOOD} mkdir dark; chmod 300 dark; sleep 2"), settings)
    assert "has left dark, a folder that cannot be read" in message


def test_a_file_that_is_too_long(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bwrap_build, "MAX_BUILD_FILE_MIB", 4)
    message = build_error(bot(tmp_path, "exec dd if=/dev/zero of=big bs=1M count=8"), settings)
    assert "failed with exit status" in message
    assert not list((tmp_path / "cache").rglob("big"))


def test_a_build_that_prints_for_ever(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandboxed_build, "OUTPUT_LIMIT", 1)
    assert build_error(bot(tmp_path, "exec yes"), settings).endswith("printed more than 1 MiB")


def test_a_build_that_prints_too_much_at_once(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has ended before anybody looks."""
    monkeypatch.setattr(sandboxed_build, "OUTPUT_LIMIT", 1)
    build = bot(tmp_path, "head -c 2000000 /dev/zero; exit 1")
    assert build_error(build, settings).endswith("printed more than 1 MiB")


LEFT = {
    "ln -s /etc/shadow out/bot": "out/bot, a link to /etc/shadow, out of the bot's folder",
    "rm bot.yaml; ln -s /etc/passwd bot.yaml": "bot.yaml, a link to /etc/passwd, out of the bot's",
    "ln -s ../../../../.. up": "up, a link to ../../../../.., out of the bot's folder",
    "ln -s . here; ln -s here/../.. up": "up, a link to here/../.., out of the bot's folder",
    "ln -s /tmp/gone gone": "gone, a link to /tmp/gone, out of the bot's folder",
    "mkfifo out/pipe": "out/pipe, which is neither a file, a folder nor a link",
    "cp out/bot . ; mkfifo bot.pipe": "bot.pipe, which is neither a file, a folder nor a link",
}


@pytest.mark.parametrize("script", LEFT)
def test_forbidden_build_results(tmp_path: Path, settings: BuildSettings, script: str) -> None:
    first = GOOD if script.startswith(("cp", "mkfifo")) else "mkdir out;"
    message = build_error(bot(tmp_path, first + script), settings)
    assert message.startswith(f"{tmp_path}/bot: the build '/usr/bin/sh build.sh' has left ")
    assert LEFT[script] in message


def test_a_socket(tmp_path: Path, settings: BuildSettings) -> None:
    script = "import socket\nsocket.socket(socket.AF_UNIX).bind('door')\n"
    assert "door, which is neither a file" in build_error(python(tmp_path, script), settings)


def test_folders_within_folders(tmp_path: Path, settings: BuildSettings) -> None:
    script = "import os\nfor _ in range(2000):\n os.mkdir('d')\n os.chdir('d')\n"
    message = build_error(python(tmp_path, script), settings)
    assert "has left more than 100 folders within each other" in message


def test_harmless_build_results(tmp_path: Path, settings: BuildSettings) -> None:
    """Bits that make a program another user's, further names of files, folders nobody may read."""
    script = (
        "chmod 6755 out/bot; ln out/bot out/again; ln -s bot out/link; ln -s /usr/bin out/system\n"
    )
    script += "mkdir out/closed; echo x > out/closed/file; chmod 0 out/closed/file out/closed\n"
    script += "ln /usr/bin/env out/env; ln /etc/hosts out/hosts; mknod out/null c 1 3; true"
    out = load_bot(bot(tmp_path, GOOD + script), settings).folder / "out"
    names = {"bot", "again", "link", "system", "closed"}
    assert {path.name for path in out.iterdir()} == names, "no link and no device could be made"
    assert stat.S_IMODE((out / "bot").stat().st_mode) == 0o755
    assert (out / "bot").stat().st_uid == os.geteuid()
    assert (out / "closed" / "file").read_text() == "x\n"


def test_links_that_lead_out_are_not_taken_along(tmp_path: Path, settings: BuildSettings) -> None:
    folder = bot(tmp_path, f"{GOOD} test ! -L out-of-here && test -L within")
    (folder / "out-of-here").symlink_to("../secret")
    (folder / "within").symlink_to("build.sh")
    load_bot(folder, settings)


@pytest.mark.parametrize("network", [False, True])
def test_a_compiler_reads_for_it(tmp_path: Path, settings: BuildSettings, network: bool) -> None:
    require("cc")
    key = "build_network: true" if network else ""
    folder = bot(tmp_path, "#include </etc/shadow>\n", key, build="[cc, -E, -x, c, build.sh]")
    message = build_error(folder, BuildSettings(settings.sandbox, allows_network=network))
    assert "/etc/shadow: " in message
    assert "root:" not in message


def test_build_output_is_sanitized(tmp_path: Path, settings: BuildSettings) -> None:
    folder = bot(
        tmp_path, "printf '\\33[2J\\33]0;owned\\7\\33[31mred\\33[0m\\ta /bot/x\\n'; exit 1"
    )
    message = build_error(folder, settings)
    assert message.splitlines()[1] == f"␛]0;owned␇red   a {folder}/x"


def test_a_build_ends_when_arena_is_killed(
    tmp_path: Path, settings: BuildSettings, cache: Path
) -> None:
    """The build ends with us, and the next one removes what is left of it."""
    folder = bot(tmp_path, f"{GOOD} test -e {tmp_path} || true; setsid sleep $(cat seconds) & wait")
    (folder / "seconds").write_text("1000\n")
    text = (
        "import sys; from pathlib import Path; from arena.bots.bot import load_bot;"
        "from arena.bots.build import BuildSettings;"
        "from arena.bots.sandbox.limits import ResourceLimits, SandboxLevel;"
        "from arena.bots.sandbox.sandbox import select_sandbox;"
        "sandbox = select_sandbox(SandboxLevel.STANDARD, ResourceLimits());"
        "load_bot(Path(sys.argv[1]), BuildSettings(sandbox))"
    )
    with (
        check_no_leftovers(seconds=60),
        subprocess.Popen([sys.executable, "-c", text, folder]) as other,
    ):
        try:
            until = time.monotonic() + 60
            while not list(cache.glob("*/bot/out/bot")) and time.monotonic() < until:
                time.sleep(0.05)
            (workspace,) = cache.glob("*.*[0-9]")
        finally:
            other.kill()
    lock = cache / f"{workspace.name.partition('.')[0]}.lock"
    assert lock.exists()
    version = workspace.name.partition(".")[0]
    order = bots_build.BuildOrder(folder, ["/bin/sh", "-c", GOOD])
    assert bots_build.build(order, version, settings) == cache / version


def test_a_tool_in_a_home(
    tmp_path: Path, settings: BuildSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sees its own place, and nothing else of that home."""
    home = tmp_path / "home"
    tool = home / "kit-1.0" / "bin" / "maker"
    tool.parent.mkdir(parents=True)
    (tool.parent.parent / "data").write_text("cp /bin/true out/bot")
    tool.write_text(f"#!/bin/sh\nmkdir out; test ! -e {home}/secret && . $(dirname $0)/../data")
    tool.chmod(0o755)
    (home / "secret").write_text(SECRET)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    made: Bot = load_bot(bot(tmp_path, "", build="[maker]"), settings)
    assert os.access(made.argv[0], os.X_OK)
