"""Folders that come with the program: the reference bots and the protocol specification.

The wheel holds them inside the package; in the source tree they lie beside it. Modules of reference
bots can be imported from here: `from arena.reference.counter import sticheln`.
"""

from pathlib import Path
from typing import Final

import arena


def locate_folder(name_in_wheel: str, name_in_tree: str) -> Path:
    """Return a folder of the wheel, or else of the source tree."""
    package = Path(arena.__file__).parent
    installed = package / name_in_wheel
    return installed if installed.is_dir() else package.parent / name_in_tree


REFERENCE_BOTS: Final = locate_folder("reference", "bots")
SPECIFICATION: Final = locate_folder("specification", "protocol")

__path__ = [str(REFERENCE_BOTS)]
