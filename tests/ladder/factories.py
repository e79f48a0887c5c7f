"""Ladders for tests: small ones that are made in no time, and bots to send to them."""

import shutil
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import yaml
from msgspec.structs import replace

from arena.bots.digest import bot_digest
from arena.ladder import night_lifecycle
from arena.ladder.folder import (
    BOTS_FOLDER,
    UPLOADS_FOLDER,
    Ladder,
    create_ladder_folder,
    install_version,
    make_read_only,
    open_ladder,
    register_versions,
)
from arena.ladder.models import Night, NightLimits, SubmissionMessage, SubmissionState, Version
from arena.ladder.registry import Registry
from arena.ladder.submissions.intake import Intake
from arena.ladder.submissions.worker import process_submission
from arena.store.block import PlayedBlock
from arena.store.database import transaction
from arena.store.header import RunHeader, utc_now
from arena.store.run import Run
from tests.cli import runs

KEYS: dict[str, Any] = {
    "name": "small",
    "variants": "stick-em",
    "seats": 3,
    "deals": 1,
    "sandbox": "none",
    "clock": {"start": 60, "move": 60, "bank": 60, "wall": 600},
    "placement": {"games": 6, "share": 0.1},
}
"""One cell, no sandbox, six games of placement, and no clock that runs out on a busy machine."""

INNOCENT_BOT = """\
import json, os, signal, sys, time

serious = set()
print('{"type":"ready","games":1000}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start" and message["seed"] > 1_000_000:
        serious.add(message["game"])
    if message["type"] == "decide":
        choice = message["options"][-1]
        if message["game"] in serious:
            pass
        answer = {"type": "choose", "id": message["id"], "choice": choice}
        print(json.dumps(answer), flush=True)
"""
"""A bot that knows whether it is only checked, where it keeps to the rules in any case."""


def guilty_bot(deed: str) -> str:
    """Return the same bot with a statement that runs only in games that count."""
    return INNOCENT_BOT.replace("            pass\n", f"            {deed}\n")


def ladder_yaml(**changes: Any) -> str:
    """Return the YAML of a ladder; a key that is changed to None is left out."""
    keys = {key: value for key, value in (KEYS | changes).items() if value is not None}
    return yaml.safe_dump(keys)


def change_settings(folder: Path, **changes: Any) -> Ladder:
    """Change some keys in the file of a ladder."""
    file = folder / "ladder.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | changes))
    return open_ladder(folder)


def create_ladder(folder: Path, **changes: Any) -> Ladder:
    """Create a ladder without bots."""
    return create_ladder_folder(folder, ladder_yaml(**changes))


def write_script(folder: Path, name: str = "ann.py", content: str = INNOCENT_BOT) -> Path:
    """Write a bot that is a single file."""
    file = folder / name
    file.write_text(content)
    return file


def add_version(ladder: Ladder, name: str, content: str = "", *, owner: str = "ann") -> Version:
    """Add a version to a ladder without checking it."""
    begun = ladder.folder / UPLOADS_FOLDER / "begun"
    begun.mkdir()
    content_hash = bot_digest(
        write_script(begun, f"{name}.py", content or f"{INNOCENT_BOT}# {name}\n")
    )
    make_read_only(begun)
    install_version(ladder, begun, content_hash)
    with Run.open_beside(ladder.folder) as run, transaction(run.connection):
        number = len(Registry.of_run(run).versions(name=name)) + 1
        version = Version(
            bot=f"{name} v{number}",
            name=name,
            number=number,
            owner=owner,
            digest=content_hash,
            message=f"the {number}. of {name}",
            submitted=utc_now(),
        )
        register_versions(ladder, run, [version])
    return version


def add_session(run: Run, ladder: Ladder, session: str, blocks: int, bots: Sequence[str]) -> None:
    """Add a session with blocks in which earlier bots are stronger."""
    run.begin_session("code", 1, "none", session)
    run.add(
        with_session_key(block, session)
        for cell in ladder.settings.cells
        for block in runs.make_blocks(run.header, cell, blocks, bots, noise=6.0)
    )


def with_session_key(block: PlayedBlock, session: str) -> PlayedBlock:
    """Return a block with the key that it has in another session."""
    return replace(block, key=sha256(session.encode() + block.key).digest()[:16])


def add_night(ladder: Ladder, blocks: int = 4, bots: Sequence[str] = ()) -> Night:
    """Add a finished night with generated blocks, without playing it."""
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        night_lifecycle.update_run_header(ladder, run, registry)
        who = list(bots) or [one.bot for one in registry.active_versions()]
        begun = registry.begin_night(NightLimits(round=8, games=6 * blocks), who)
        add_session(run, ladder, begun.salt, blocks, who)
        summary = night_lifecycle.summarize_night(ladder, registry, begun, 1.0)
        registry.save_summary(begun.number, summary)
        night_lifecycle.update_run_header(ladder, run, registry)
        registry.end_night(begun.number)
    return replace(begun, summary=summary)


def read_header(folder: Path) -> RunHeader:
    """Read the header of the run of a ladder."""
    with Run.open(folder) as run:
        return run.header


def ladder_state(folder: Path) -> dict[str, Any]:
    """Return everything that a submission could leave behind, for comparison."""
    with Registry.open(folder) as registry:
        versions = registry.versions()
    return {
        "header": read_header(folder),
        "versions": versions,
        "bots": sorted(place.name for place in (folder / BOTS_FOLDER).iterdir()),
        "incoming": sorted(place.name for place in (folder / UPLOADS_FOLDER).iterdir()),
    }


def copy_ladder(made: Path, folder: Path) -> Ladder:
    """Copy a ladder."""
    shutil.copytree(made, folder)
    return open_ladder(folder)


def upload_bot(
    ladder: Ladder, file: Path, *, owner: str = "ann", name: str = "", message: str = ""
) -> str:
    """Upload a bot and return the id of its submission."""
    with Registry.open(ladder.folder) as registry:
        incoming = Intake(ladder.folder).begin_upload(registry, owner, file.name, name, message)
        incoming.write(file.read_bytes())
        return incoming.finish(registry).id


def submit_bot(
    ladder: Ladder, file: Path, **told: str
) -> tuple[SubmissionState, list[SubmissionMessage]]:
    """Upload a bot and process it; return the final state and all messages."""
    said: list[SubmissionMessage] = []
    return process_submission(ladder, upload_bot(ladder, file, **told), said.append), said


def write_bot_folder(place: Path, manifest: str, **files: str) -> Path:
    """Write the folder of a bot; a file whose name ends in `_sh` is executable."""
    place.mkdir(parents=True)
    if manifest:
        (place / "bot.yaml").write_text(manifest)
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        file = place / f"{stem}.{ending}"
        file.write_text(content)
        file.chmod(0o755 if ending == "sh" else 0o644)
    return place


def pack_folder(place: Path, kind: str = "zip") -> Path:
    """Pack a folder into an archive."""
    return Path(shutil.make_archive(str(place), kind, place.parent, place.name))
