"""No two bots on a machine have the same user, whoever has started them."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from arena.bots.bot import Bot
from arena.bots.launcher import Launcher
from arena.bots.process import BotProcess
from arena.bots.sandbox.limits import ResourceLimits
from arena.bots.sandbox.users import claim_user, users_of_processes
from arena.errors import HarnessFailure
from tests.bots.leftover_processes import check_no_leftovers
from tests.bots.process_output import read_output
from tests.referee.sandboxes import sandbox_without_cgroups

pytestmark = pytest.mark.slow

FIRST = 3_000_000_000
"""User ids that nothing else claims."""

OTHER = "from arena.bots.sandbox.users import claim_user; print(claim_user({}, {}).uid)"
THREADS = """
import sys, threading, time
made = 0
try:
    for made in range(40):
        threading.Thread(target=time.sleep, args=[30], daemon=True).start()
except RuntimeError:
    pass
print(made + 1, flush=True)
sys.stdin.read()
"""


def test_user_ids_are_unique_until_released() -> None:
    users = [claim_user(FIRST, 20) for _ in range(20)]
    assert {user.uid for user in users} == set(range(FIRST, FIRST + 20))
    with pytest.raises(HarnessFailure, match="all 20 user ids for bots are in use"):
        claim_user(FIRST, 20)
    users[7].close()
    with closing(claim_user(FIRST, 20)) as again:
        assert again.uid == users[7].uid
    for user in users:
        user.close()


def test_user_ids_of_other_processes_are_skipped() -> None:
    argv = [sys.executable, "-c", OTHER.format(FIRST, 2)]
    with closing(claim_user(FIRST, 2)) as own:
        done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert int(done.stdout) == {FIRST: FIRST + 1, FIRST + 1: FIRST}[own.uid]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can start processes of other users")
def test_user_ids_of_other_programs_are_skipped() -> None:
    """Such as services of systemd, and bots of a referee in another network namespace."""
    with subprocess.Popen(["/bin/sleep", "600"], user=FIRST) as service:
        try:
            assert users_of_processes() >= {0, FIRST}
            for _ in range(20):
                with closing(claim_user(FIRST, 2)) as user:
                    assert user.uid == FIRST + 1
            with pytest.raises(HarnessFailure, match="all 1 user ids for bots are in use"):
                claim_user(FIRST, 1)
        finally:
            service.kill()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots users of their own")
def test_bots_do_not_share_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where as many users are there as bots, each has its own, and all the threads it may."""
    monkeypatch.setattr("arena.bots.sandbox.sandbox.BOT_UID_COUNT", 3)
    script = tmp_path / "bot.py"
    script.write_text(THREADS)
    command = sandbox_without_cgroups(ResourceLimits())
    with check_no_leftovers(), Launcher(command) as one, Launcher(command) as two:
        bots = [BotProcess(make_bot(script), launcher) for launcher in (one, two, one)]
        assert [int(read_output(bot)) for bot in bots] == [40, 40, 40]
        owners = {Path(f"/proc/{bot.pid}").stat().st_uid for bot in bots}
        assert len(owners) == 3
        with pytest.raises(HarnessFailure):
            BotProcess(make_bot(script), two)
        bots[0].end(0)
        assert bots[0].exit_reason(60)
        bots[0] = replaced = BotProcess(make_bot(script), two)
        assert int(read_output(replaced)) == 40
        for bot in bots:
            bot.close()
        assert len(one.users) + len(two.users) == 3
    assert one.users == two.users == {}


def make_bot(script: Path) -> Bot:
    """A bot that the system's own Python runs."""
    return Bot("test", "1", ("/usr/bin/python3", str(script)), script)
