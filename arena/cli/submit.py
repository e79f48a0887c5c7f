"""`arena submit`: a bot is sent to a ladder, which answers step by step."""

import getpass
import os
import sys
import tarfile
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from arena.bots.interpreters import ENDINGS
from arena.bots.manifest import FILE as MANIFEST
from arena.bots.manifest import load
from arena.cli.completion import bot_names
from arena.cli.conversing import Conversation
from arena.cli.output import print_json
from arena.errors import ArenaError, BadBot
from arena.ladder.archives import pack
from arena.ladder.clerk import held, sweep, work
from arena.ladder.facts import Fate
from arena.ladder.folder import bring_up_to_date, open_ladder
from arena.ladder.intake import Intake
from arena.ladder.registry import Registry
from arena.ladder.remote import Remote
from arena.store.run import Run

PIECE = 1 << 16


@click.command(short_help="Send a bot to a ladder.")
@click.argument(
    "bot", type=click.Path(exists=True, path_type=Path), shell_complete=bot_names, metavar="BOT"
)
@click.option(
    "--to",
    "to",
    required=True,
    envvar="ARENA_LADDER",
    metavar="DIR|URL",
    help="The ladder: its folder, or where its server is.",
)
@click.option(
    "--token", envvar="ARENA_TOKEN", help="Who you are, for a server; or set ARENA_TOKEN."
)
@click.option("--name", default="", help="Under which it plays; by default as it calls itself.")
@click.option("--message", "-m", default="", help="What is new, in one line.")
@click.option("--owner", help="Whose bot it is, where the ladder is a folder; by default yours.")
@click.option("--insecure", is_flag=True, help="Allow http, which sends the token unencrypted.")
@click.option("--json", "as_json", is_flag=True, help="Everything that was said, as JSON.")
def submit(  # noqa: PLR0913 (one for each option)
    *,
    bot: Path,
    to: str,
    token: str | None,
    name: str,
    message: str,
    owner: str | None,
    insecure: bool,
    as_json: bool,
) -> None:
    """Send BOT, which is a script, a folder or an archive, to a ladder.

    It is unpacked, built and checked, plays some games against reference bots, and is accepted as
    the next version of its name, or refused with what shows why. The exit status is 0 if it was
    accepted and 1 if not; whatever is refused or interrupted leaves nothing behind.
    """
    talk = Conversation(hidden=as_json)
    with TemporaryDirectory(prefix="stichkampf-") as temporary:
        file = packed(bot, Path(temporary))
        if "://" in to:
            if token is None:
                raise ArenaError("a server wants a token: say --token, or set ARENA_TOKEN")
            fate = Remote(to, token, insecure=insecure).submit(file, name, message, talk.hear)
        else:
            fate = locally(file, Path(to), owner or user(), (name, message), talk)
    if as_json:
        print_json({"state": fate, "said": talk.said})
    talk.close(fate)
    if fate != "accepted":
        sys.exit(1)


def packed(bot: Path, folder: Path) -> Path:
    """What is sent: the file itself, or a folder in an archive."""
    file = folder / f"{bot.resolve().name}.tar.gz"
    if bot.is_dir():
        pack(bot, file, ignored(bot))
    elif not bot.is_file():
        raise ArenaError(f"{bot} is neither a file nor a folder")
    elif is_program(bot):
        pack(bot, file)  # that it can be run would be lost otherwise
    else:
        return bot
    return file


def ignored(bot: Path) -> tuple[str, ...]:
    """What in a bot's folder is no part of it."""
    try:
        return load(bot / MANIFEST).ignore
    except BadBot:  # which the ladder will say
        return ()


def is_program(bot: Path) -> bool:
    """Whether a file is run by itself, and is no archive that merely may be."""
    if bot.suffix in ENDINGS or not os.access(bot, os.X_OK):
        return False
    return not (zipfile.is_zipfile(bot) or tarfile.is_tarfile(bot))


def user() -> str:
    """Whoever this is, by the name that the machine knows."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a number that has no name
        raise ArenaError("nobody knows your name here; say --owner NAME") from None


def locally(
    file: Path, folder: Path, owner: str, told: tuple[str, str], talk: Conversation
) -> Fate:
    """Hand it in at a folder of this machine, and work on it here."""
    ladder = open_ladder(folder)
    bring_up_to_date(folder)
    with Run.open(folder) as run:
        ladder.check(run)
    sweep(ladder)
    with Registry.open(folder) as registry:
        incoming = Intake(folder).open(registry, owner, file.name, *told)
        with held(incoming.place):  # else a server might begin to work on it
            try:
                with file.open("rb") as stream:
                    while piece := stream.read(PIECE):
                        incoming.write(piece)
                submission = incoming.done(registry)
            except BaseException:
                incoming.drop()
                raise
            return work(ladder, submission.id, talk.hear, is_held=True)
