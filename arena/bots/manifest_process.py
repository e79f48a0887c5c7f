"""Read an untrusted manifest in a separate process with little memory and CPU time."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from arena.bots import manifest as bots_manifest
from arena.bots.bootstrap import lower_rlimits, python_argv
from arena.bots.manifest import Manifest
from arena.bots.reaper import die_with_parent
from arena.errors import BadBot

CHILD_CODE: Final = "from arena.bots.manifest_process import main; main()"

MEMORY_LIMIT: Final = 256 << 20
"""Bytes of address space that the process may use."""
CPU_LIMIT: Final = 5
"""Seconds of CPU time that it may use."""
TIMEOUT: Final = 60
"""Seconds of real time that it may take."""


class ManifestResult(Struct, frozen=True, omit_defaults=True):
    """The manifest, or why it was rejected, as the process writes it to stdout."""

    manifest: Manifest | None = None
    error: str = ""


def load_untrusted_manifest(file: Path) -> Manifest:
    """Read a manifest as `manifest.load_manifest` does, within limits that the kernel enforces."""
    try:
        done = subprocess.run(  # noqa: S603 (our own program)
            python_argv(CHILD_CODE, str(file.absolute()), str(os.getpid()), options=["-I"]),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT,
            check=True,
            env={},
        )
        result = msgspec.json.decode(done.stdout, type=ManifestResult)
    except (subprocess.SubprocessError, msgspec.DecodeError) as error:
        why = "it takes too much memory or time to read; shorten it"
        raise BadBot(f"{file}: {why}") from error
    if result.manifest is None:
        raise BadBot(result.error)
    return result.manifest


def main() -> None:
    """Read the manifest that the first argument names, and write the result to stdout."""
    die_with_parent(int(sys.argv[2]), signal.SIGKILL)
    lower_rlimits(
        {
            resource.RLIMIT_AS: MEMORY_LIMIT,
            resource.RLIMIT_CPU: CPU_LIMIT,
            resource.RLIMIT_FSIZE: 0,
            resource.RLIMIT_NPROC: 0,
            resource.RLIMIT_CORE: 0,
        }
    )
    try:
        result = ManifestResult(manifest=bots_manifest.load_manifest(Path(sys.argv[1])))
    except BadBot as error:
        result = ManifestResult(error=str(error))
    sys.stdout.buffer.write(msgspec.json.encode(result))
