"""The options of bubblewrap for a build."""

import os
import resource
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.sandbox.bwrap import BOT_UID_COUNT, FIRST_BOT_UID, SandboxSupport
from arena.bots.sandbox.bwrap_build import FIRST_BUILD_UID, BuildEnvironment, build_command
from tests.bots.toolchains import make_rustup_stub, make_toolchain

PLAIN = SandboxSupport("/usr/bin/bwrap", "x86_64", is_root=False, etc_paths=("/etc/alternatives",))
ROOT = replace(PLAIN, is_root=True)
WORKSPACE = Path("/cache/yard")
BUILD = BuildEnvironment(
    ("/usr/bin/make", "all"), WORKSPACE / "bot", WORKSPACE / "tmp", WORKSPACE / "passwd"
)
ONLINE_BUILD = replace(BUILD, has_network=True)


def options(argv: list[str], option: str) -> list[tuple[str, str]]:
    """The two words after each of these options."""
    return [(argv[at + 1], argv[at + 2]) for at, word in enumerate(argv) if word == option]


def variables(site: BuildEnvironment) -> dict[str, str]:
    return dict(options(build_command(site, PLAIN, 1).argv, "--setenv"))


@pytest.fixture(autouse=True)
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One that says nothing, and a home."""
    for name in os.environ:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path


def test_only_the_build_folder_is_writable() -> None:
    command = build_command(BUILD, PLAIN, 1)
    binds = [(f"{WORKSPACE}/tmp", "/tmp"), (f"{WORKSPACE}/bot", "/bot")]  # noqa: S108 (inside)
    assert options(command.argv, "--bind") == binds
    assert command.argv[-4:] == ["--chdir", "/bot", "--remount-ro", "/"]
    assert command.program == ["/usr/bin/make", "all"]


def test_the_network_is_off_by_default() -> None:
    off, on = build_command(BUILD, PLAIN, 1), build_command(ONLINE_BUILD, PLAIN, 1)
    assert "--unshare-net" in off.argv
    assert "--unshare-net" not in on.argv
    assert off.seccomp_filter != on.seccomp_filter
    for kind in ("pid", "ipc", "uts", "user"):
        assert f"--unshare-{kind}" in on.argv


def test_etc_is_mounted_only_for_builds_with_network() -> None:
    shown = options(build_command(BUILD, PLAIN, 1).argv, "--ro-bind-try")
    assert ("/etc/alternatives", "/etc/alternatives") in shown
    assert ("/etc", "/etc") not in shown
    assert ("/etc", "/etc") in options(build_command(ONLINE_BUILD, PLAIN, 1).argv, "--ro-bind-try")


def test_root_switches_to_a_build_user() -> None:
    command = build_command(BUILD, ROOT, FIRST_BUILD_UID)
    assert command.program[:3] == ["/usr/bin/setpriv", "--reuid=65000", "--regid=65000"]
    assert FIRST_BOT_UID + BOT_UID_COUNT <= FIRST_BUILD_UID


def test_registry_settings_are_passed_to_builds_with_the_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    passed = {"https_proxy", "NO_PROXY", "SSL_CERT_FILE", "npm_config_registry", "GOPROXY"}
    passed |= {
        "CARGO_HTTP_CAINFO",
        "CARGO_REGISTRIES_MINE_INDEX",
        "PIP_INDEX_URL",
        "MAVEN_OPTS",
    }
    not_passed = {
        "A_SECRET",
        "CARGO_REGISTRY_TOKEN",
        "CARGO_HOME",
        "npm_config__authToken",
        "USER",
    }
    not_passed |= {"CARGO_REGISTRIES_MINE_TOKEN", "SSH_AUTH_SOCK", "goproxy", "MAVEN_PASSWORD"}
    for name in passed | not_passed:
        monkeypatch.setenv(name, "x")
    usual = {"PATH", "HOME", "TMPDIR", "LANG", "PYTHONDONTWRITEBYTECODE"}
    assert set(variables(BUILD)) == usual
    assert set(variables(ONLINE_BUILD)) == usual | passed


def test_path_lists_only_mounted_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/local/go/bin::.:/usr/bin")
    assert variables(BUILD)["PATH"] == "/usr/bin:/usr/local/go/bin:/usr/local/bin:/bin"
    tool = replace(BUILD, argv=(f"{tmp_path}/kit/bin/tool",))
    assert variables(tool)["PATH"].startswith(f"{tmp_path}/kit/bin:/usr/local/go/bin:")


@pytest.mark.parametrize(
    ("tool", "seen"),
    [
        ("kit-1.0/bin/tool", "kit-1.0"),
        (".nvm/versions/20/bin/npm", ".nvm/versions/20"),
        ("bin/tool", "bin/tool"),
        (".local/bin/tool", ".local/bin/tool"),
    ],
)
def test_the_build_tool_is_mounted(environment: Path, tool: str, seen: str) -> None:
    argv = build_command(replace(BUILD, argv=(f"{environment}/{tool}",)), PLAIN, 1).argv
    assert (f"{environment}/{seen}",) * 2 in options(argv, "--ro-bind")
    assert (str(environment),) * 2 not in options(argv, "--ro-bind")


def test_rust_that_is_kept_in_a_home(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs, toolchains = environment / ".cargo" / "bin", environment / ".rustup"
    for folder in (programs, toolchains):
        folder.mkdir(parents=True)
    make_rustup_stub(programs, "#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin")
    for argv in (("/usr/bin/make",), (f"{programs}/cargo", "build")):
        command = build_command(replace(BUILD, argv=argv), PLAIN, 1).argv
        shown = {path for path, _ in options(command, "--ro-bind")}
        assert shown == {"/usr", f"{WORKSPACE}/passwd", str(programs), str(toolchains)}
        inside = dict(options(command, "--setenv"))
        assert inside["RUSTUP_HOME"] == str(toolchains)
        assert "CARGO_HOME" not in inside, "its own is writable, and holds no keys"


def test_rust_without_a_toolchain(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not shown; and where it is in sight anyway, another one is found before it."""
    programs = environment / "kit" / "rustup"
    make_rustup_stub(programs)
    (environment / ".rustup").mkdir()
    cargo = make_toolchain(environment / "kit" / "bin")
    monkeypatch.setenv("PATH", f"{programs}:{environment}/kit/bin:/usr/bin")
    for argv in (("/usr/bin/make",), (str(cargo), "build")):
        command = build_command(replace(BUILD, argv=argv), PLAIN, 1).argv
        shown = {path for path, _ in options(command, "--ro-bind")}
        kit = {f"{environment}/kit"} if argv[0] == str(cargo) else set()
        assert shown == {"/usr", f"{WORKSPACE}/passwd", *kit}
        inside = dict(options(command, "--setenv"))
        assert "RUSTUP_HOME" not in inside
    assert inside["PATH"].split(":")[:2] == [str(cargo.parent), "/usr/bin"]
    assert str(programs) in inside["PATH"].split(":")[2:]


def test_limits_of_a_build() -> None:
    limits = build_command(BUILD, PLAIN, 1).rlimits
    assert limits[resource.RLIMIT_FSIZE] == 1 << 30
    assert limits[resource.RLIMIT_NPROC] == 512
    assert limits[resource.RLIMIT_NOFILE] == 4096
