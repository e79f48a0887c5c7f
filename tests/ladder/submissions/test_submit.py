"""Submitting a bot from Python: one call packs, processes and returns what became of it."""

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.ladder.folder import Ladder
from arena.ladder.models import SubmissionMessage, SubmissionState
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions.client import LadderClient
from arena.ladder.submissions.pipeline import MessageCallback
from arena.ladder.submissions.submit import submit_bot, submit_to_server
from tests.ladder import factories


class ScriptedClient(LadderClient):
    """A client whose server refuses everything."""

    def submit(
        self, file: Path, name: str, _message: str, on_message: MessageCallback
    ) -> SubmissionState:
        on_message(SubmissionMessage(step="unpack", passed=False, text=f"{file.name} {name}"))
        return "refused"


def test_a_refused_bot_leaves_nothing(ladder: Ladder, tmp_path: Path) -> None:
    before, seen = factories.ladder_state(ladder.folder), list[SubmissionMessage]()
    bot = factories.write_script(tmp_path, "random.py")
    result = submit_bot(bot, ladder.folder, "ann", on_message=seen.append)
    assert (result.state, result.is_accepted) == ("refused", False)
    assert [one.step for one in result.messages] == ["unpack", "name"]
    assert result.messages == seen
    assert factories.ladder_state(ladder.folder) == before


@pytest.mark.slow
def test_an_accepted_bot_is_a_version(empty_ladder: Ladder, tmp_path: Path) -> None:
    manifest = "name: other\nrun: [python3, ann.py]\n"
    bot = factories.write_bot_folder(tmp_path / "bot", manifest, ann_py=factories.INNOCENT_BOT)
    result = submit_bot(bot, empty_ladder.folder, "ann", name="ann", message="first")
    assert result.is_accepted, result.messages
    with Registry.open(empty_ladder.folder) as registry:
        (version,) = registry.versions()
    assert (version.bot, version.owner, version.message) == ("ann v1", "ann", "first")


def test_an_invalid_owner(empty_ladder: Ladder, tmp_path: Path) -> None:
    with pytest.raises(BadSubmission, match="cannot be an owner's name"):
        submit_bot(factories.write_script(tmp_path), empty_ladder.folder, "a b")
    with pytest.raises(ArenaError, match="is neither a file nor a folder"):
        submit_bot(tmp_path / "none.py", empty_ladder.folder, "ann")


def test_a_server_gives_the_same_kind_of_result(tmp_path: Path) -> None:
    client = ScriptedClient("https://ladder.example", "token")
    bot = factories.write_bot_folder(tmp_path / "fox", "name: fox\nrun: [x]\n")
    result = submit_to_server(bot, client, name="Fox")
    assert (result.state, [one.text for one in result.messages]) == ("refused", ["fox.tar.gz Fox"])
