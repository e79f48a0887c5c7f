"""Programs that stand in for a Rust toolchain, real ones that are very small."""

from pathlib import Path

from arena.bots.interpreters import prints_version

RUSTUP = """#!/bin/sh
echo "error: rustup could not choose a version of ${0##*/} to run, because one wasn't specified \\
explicitly, and no default is configured." >&2
echo "help: run 'rustup default stable' to download the latest stable release of Rust and set it \\
as your default toolchain." >&2
exit 1
"""
"""What rustup prints without a toolchain, whatever it is asked for."""

CARGO = """#!/bin/sh
set -e
[ "$1" != --version ] || exit 0
rustc --version
mkdir out
cp source out/bot
chmod +x out/bot
"""
"""Finds rustc by the PATH like the real one, and makes `out/bot` of `source`."""

RUSTC = "#!/bin/sh\necho rustc 1.0\n"


def write_program(program: Path, text: str) -> Path:
    """Write a program and clear the cached result of an earlier trial."""
    prints_version.cache_clear()
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text)
    program.chmod(0o755)
    return program


def make_rustup_stub(folder: Path, text: str = RUSTUP) -> Path:
    """Fill a folder as rustup does without a toolchain; return the path of its cargo."""
    write_program(folder / "rustup", text)
    for name in ("cargo", "rustc"):
        (folder / name).symlink_to("rustup")
    return folder / "cargo"


def make_toolchain(folder: Path) -> Path:
    """Fill a folder with programs that run; return the path of its cargo."""
    write_program(folder / "rustc", RUSTC)
    return write_program(folder / "cargo", CARGO)
