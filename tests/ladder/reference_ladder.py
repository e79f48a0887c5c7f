"""Small ladders whose bots always do the same."""

from pathlib import Path
from typing import Any

import yaml

from arena.ladder.create import add_reference_bots
from arena.ladder.folder import Ladder, create_ladder_folder

KEYS: dict[str, Any] = {
    "name": "small",
    "variants": ["stick-em", "sticheln"],
    "seats": [3],
    "deals": 2,
    "clock": {"start": 60, "move": 60, "bank": 60, "wall": 600},
    "sandbox": "none",
}
"""Two cells; no clock runs out on a busy machine."""


def create_reference_ladder(folder: Path, **changes: Any) -> Ladder:
    """Create a ladder with the reference bots."""
    ladder = create_ladder_folder(folder, yaml.safe_dump(KEYS | changes))
    add_reference_bots(ladder)
    return ladder
