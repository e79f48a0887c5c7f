"""Python without looking for installed packages, which takes longer than our small processes do."""

import sys
from pathlib import Path

import arena

PACKAGES = str(Path(arena.__file__).parent.parent)
FIND = "import sys; sys.path.insert(0, sys.argv.pop())\n"


def python(program: str, *arguments: str) -> list[str]:
    """The command line that runs a program which imports nothing but Python's own and ours."""
    return [sys.executable, "-I", "-S", "-c", FIND + program, *arguments, PACKAGES]
