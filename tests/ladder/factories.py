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

INNOCENT = """\
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


def sly(deed: str) -> str:
    """The same, but it does something when its games count."""
    return INNOCENT.replace("            pass\n", f"            {deed}\n")


def text(**changes: Any) -> str:
    """The file of a ladder; a key that is changed to None is left out."""
    keys = {key: value for key, value in (KEYS | changes).items() if value is not None}
    return yaml.safe_dump(keys)


def change(folder: Path, **changes: Any) -> Ladder:
    """Let the operator of a ladder change some keys."""
    file = folder / "ladder.yaml"
    file.write_text(yaml.safe_dump(yaml.safe_load(file.read_text()) | changes))
    return open_ladder(folder)


def new(folder: Path, **changes: Any) -> Ladder:
    """A ladder without bots."""
    return create_ladder_folder(folder, text(**changes))


def script(folder: Path, name: str = "ann.py", content: str = INNOCENT) -> Path:
    """A bot that is one file."""
    file = folder / name
    file.write_text(content)
    return file


def join(ladder: Ladder, name: str, content: str = "", *, owner: str = "ann") -> Version:
    """Put a version on a ladder without asking whether it can play."""
    begun = ladder.folder / UPLOADS_FOLDER / "begun"
    begun.mkdir()
    content_hash = bot_digest(script(begun, f"{name}.py", content or f"{INNOCENT}# {name}\n"))
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


def played(run: Run, ladder: Ladder, session: str, blocks: int, bots: Sequence[str]) -> None:
    """Keep blocks of a session, in which who came first is strongest."""
    run.begin_session("code", 1, "none", session)
    run.add(
        renamed(block, session)
        for cell in ladder.settings.cells
        for block in runs.made(run.header, cell, blocks, bots, noise=6.0)
    )


def renamed(block: PlayedBlock, session: str) -> PlayedBlock:
    """A block as it would be known at another session."""
    return replace(block, key=sha256(session.encode() + block.key).digest()[:16])


def night(ladder: Ladder, blocks: int = 4, bots: Sequence[str] = ()) -> Night:
    """A night of which nothing is played but all is written down."""
    with Run.open_for_writing(ladder.folder) as run, Registry.open(ladder.folder) as registry:
        night_lifecycle.update_run_header(ladder, run, registry)
        who = list(bots) or [one.bot for one in registry.active_versions()]
        begun = registry.begin_night(NightLimits(round=8, games=6 * blocks), who)
        played(run, ladder, begun.salt, blocks, who)
        summary = night_lifecycle.summarize_night(ladder, registry, begun, 1.0)
        registry.save_summary(begun.number, summary)
        night_lifecycle.update_run_header(ladder, run, registry)
        registry.end_night(begun.number)
    return replace(begun, summary=summary)


def header(folder: Path) -> RunHeader:
    """What the run of a ladder is about."""
    with Run.open(folder) as run:
        return run.header


def left(folder: Path) -> dict[str, Any]:
    """Everything that a submission could leave behind, to be compared."""
    with Registry.open(folder) as registry:
        versions = registry.versions()
    return {
        "header": header(folder),
        "versions": versions,
        "bots": sorted(place.name for place in (folder / BOTS_FOLDER).iterdir()),
        "incoming": sorted(place.name for place in (folder / UPLOADS_FOLDER).iterdir()),
    }


def copied(made: Path, folder: Path) -> Ladder:
    """A ladder once more."""
    shutil.copytree(made, folder)
    return open_ladder(folder)


def send(
    ladder: Ladder, file: Path, *, owner: str = "ann", name: str = "", message: str = ""
) -> str:
    """Hand a file in; the id under which it waits."""
    with Registry.open(ladder.folder) as registry:
        incoming = Intake(ladder.folder).begin_upload(registry, owner, file.name, name, message)
        incoming.write(file.read_bytes())
        return incoming.finish(registry).id


def submit(
    ladder: Ladder, file: Path, **told: str
) -> tuple[SubmissionState, list[SubmissionMessage]]:
    """Hand a file in and work on it; what became of it, and what it was told."""
    said: list[SubmissionMessage] = []
    return process_submission(ladder, send(ladder, file, **told), said.append), said


def folder_of(place: Path, manifest: str, **files: str) -> Path:
    """A bot in a folder; a file whose name ends in `_sh` is a program."""
    place.mkdir(parents=True)
    if manifest:
        (place / "bot.yaml").write_text(manifest)
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        file = place / f"{stem}.{ending}"
        file.write_text(content)
        file.chmod(0o755 if ending == "sh" else 0o644)
    return place


def packed(place: Path, kind: str = "zip") -> Path:
    """A folder as people pack it."""
    return Path(shutil.make_archive(str(place), kind, place.parent, place.name))
