"""Create a ladder: its `ladder.yaml` from a template, and the reference bots."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

from arena.bots.bot import builtin_bots
from arena.bots.digest import bot_digest
from arena.errors import ArenaError, BadBot
from arena.ladder.folder import (
    UPLOADS_FOLDER,
    Ladder,
    create_ladder_folder,
    install_version,
    make_read_only,
    register_versions,
)
from arena.ladder.models import Version
from arena.ladder.submissions.placement import REFERENCE_BOTS
from arena.store.database import explain_errors, transaction
from arena.store.header import utc_now
from arena.store.run import Run

MAX_NAME_LENGTH: Final = 40
DEFAULT_VARIANTS: Final = ("sticheln", "hat-trick", "stick-em", "was-sticht")
DEFAULT_SEATS: Final = (3, 4)

SETTINGS_TEMPLATE: Final = """\
# What is played on this ladder, and on which terms. Once games were played, variants and seats may
# be added but not taken away, and clock and sandbox stay as they are: results would not compare.
name: {name}
variants: {variants}
seats: {seats}
deals: 12 # that a table plays each time it meets
night: 2h # unless --for, --until or --games say otherwise

clock: {{start: 10, move: 1, bank: 5, wall: 30}} # seconds; all but wall are CPU time
sandbox: standard # strict, standard, or none if you trust everybody
workers: all # cores
backend: local # or a cluster that plays the nights: {{dask: tcp://HOST:8786}}

retire: {{share: 0.1, games: 40}} # at fault in more than this share of at least so many games
# What a new version plays before it is accepted, how much of it may be faulty, and when it is cut.
placement: {{games: 60, share: 0.1, minutes: 30}}
submissions:
  size: 10 # MiB of an upload
  unpacked: 64 # MiB of what is in it
  a_day: 10 # from each owner
  waiting: 100 # in all
  build: 200 # MiB that a build may leave
  quota: 1024 # MiB that the bots of one owner may take up: files, builds, what waits
  build_network: false # whether builds that ask for it may fetch packages
# Nights: records of games between versions that are all gone, logs, files of such versions.
keep: {{records: 30, logs: 14, files: 7}}
"""


@dataclass(frozen=True)
class NewLadder:
    """A ladder that was just created."""

    ladder: Ladder
    reference_bots: Sequence[str]
    """The names of the reference bots that were added."""


def create_ladder(
    folder: Path,
    *,
    name: str | None = None,
    variants: Sequence[str] = DEFAULT_VARIANTS,
    seats: str | Sequence[int] = DEFAULT_SEATS,
    with_reference: bool = False,
) -> NewLadder:
    """Create a ladder in a folder that does not exist yet or is empty.

    Its name is that of the folder by default. `seats` are numbers or `"all"`. If it fails, nothing
    is left of it.
    """
    added: list[str] = []

    def populate(ladder: Ladder) -> None:
        if with_reference:
            added.extend(add_reference_bots(ladder))

    text = settings_text(name or default_name(folder), variants, seats)
    return NewLadder(create_ladder_folder(folder, text, populate), added)


def default_name(folder: Path) -> str:
    """The name of a ladder in this folder, unless another one is given."""
    plain = re.sub(r"[^A-Za-z0-9 ._-]+", "-", folder.resolve().name).strip("-._ ")
    return plain[:MAX_NAME_LENGTH] or "ladder"


def settings_text(name: str, variants: Sequence[str], seats: str | Sequence[int]) -> str:
    """The file of a new ladder."""

    def told(value: object) -> str:
        flow = yaml.safe_dump(value, default_flow_style=True, width=1000)
        return flow.removesuffix("...\n").strip()

    return SETTINGS_TEMPLATE.format(
        name=told(name), variants=told(list(variants)), seats=told(seats)
    )


def add_reference_bots(ladder: Ladder) -> list[str]:
    """Let the reference bots join that can be run here: frozen copies; their names."""
    joined: list[Version] = []
    known = builtin_bots()
    for name in REFERENCE_BOTS:
        place = known.get(name)
        if place is None:
            continue
        copied = ladder.folder / UPLOADS_FOLDER / name
        try:
            shutil.copytree(place, copied, ignore=shutil.ignore_patterns("__pycache__", "tests"))
            content = bot_digest(copied)
            make_read_only(copied)
            install_version(ladder, copied, content)
            version = Version(
                bot=f"{name} v1",
                name=name,
                number=1,
                owner="",
                digest=content,
                message="a reference bot",
                submitted=utc_now(),
            )
            ladder.load_bot(version)
            joined.append(version)
        except BadBot as error:
            raise ArenaError(f"the reference bot {name} cannot join: {error}") from error
        finally:
            shutil.rmtree(copied, ignore_errors=True)
    with (
        Run.open_beside(ladder.folder) as run,
        explain_errors(run.file),
        transaction(run.connection),
    ):
        register_versions(ladder, run, joined)
    return [version.name for version in joined]
