"""The programs of the referee benchmark: two written in C, made when they are needed, and a bot."""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


class Programs:
    """Where they are; those in C are missing where there is no compiler."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.compiler = shutil.which("cc")

    def plain_bot(self, games: int) -> list[str]:
        return [sys.executable, str(HERE / "plain_bot.py"), str(games)]

    def c_bot(self, games: int) -> list[str]:
        return [str(self.made("bot.c")), str(games)]

    def pingpong(self, trips: int) -> list[str]:
        return [str(self.made("pingpong.c")), str(trips)]

    def made(self, source: str) -> Path:
        """A program, compiled if it is not yet."""
        assert self.compiler
        program = self.folder / Path(source).stem
        if not program.exists():
            subprocess.run([self.compiler, "-O2", "-o", program, HERE / source], check=True)
        return program
