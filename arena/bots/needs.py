"""What a bot needs of a machine: the programs that it is built and run by."""

from pathlib import Path

from arena.bots import manifest
from arena.bots.interpreters import ENDINGS, OURS, shebang
from arena.bots.manifest import FILE


def needs(bot: Path) -> tuple[str, ...]:
    """The names of programs without which this bot, a folder or a script, cannot be run."""
    if bot.is_dir():
        told = manifest.load(bot / FILE)
        named = [argv[0] for argv in (told.build, told.run) if argv]
    else:
        named = shebang(bot)[:1] or [ENDINGS.get(bot.suffix, "")]
    return tuple(
        name for name in dict.fromkeys(named) if name and "/" not in name and name not in OURS
    )
