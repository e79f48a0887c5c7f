"""What people send is written down whole, or not at all."""

import stat
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.ladder.folder import UPLOADS_FOLDER, Ladder
from arena.ladder.models import Submission
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions.intake import UPLOAD_FILE, Intake, TooManySubmissions, UploadTooLarge
from tests.ladder import factories


def send(
    ladder: Ladder, content: bytes = b"x", owner: str = "ann", file: str = "ann.py", **told: str
) -> Submission:
    with Registry.open(ladder.folder) as registry:
        incoming = Intake(ladder.folder).begin_upload(registry, owner, file, **told)
        try:
            incoming.write(content)
            return incoming.finish(registry)
        except BaseException:
            incoming.discard()
            raise


def waiting(ladder: Ladder) -> list[Submission]:
    with Registry.open(ladder.folder) as registry:
        return registry.submissions()


def test_an_upload(empty_ladder: Ladder) -> None:
    sent = send(empty_ladder, b"print()", name="Bob-2", message="it's <new>")
    assert waiting(empty_ladder) == [sent]
    assert (sent.size, sent.state, sent.name, sent.owner) == (7, "waiting", "Bob-2", "ann")
    place = empty_ladder.folder / UPLOADS_FOLDER / sent.id
    assert (place / UPLOAD_FILE).read_bytes() == b"print()"
    assert stat.S_IMODE(place.stat().st_mode) == 0o700, "nobody else reads what is sent"
    assert stat.S_IMODE((place / UPLOAD_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"name": "a b"}, "'a b' cannot be a bot's name on a ladder; it takes letters, digits"),
        ({"name": "../x"}, "cannot be a bot's name"),
        ({"name": "x" * 33}, "cannot be a bot's name"),
        ({"name": "\x1b[31mred"}, "'␛[31mred' cannot be a bot's name"),
        ({"file": ""}, "the name of the file cannot be taken; call it my-bot.zip or my-bot.py"),
        ({"file": "a/b.py"}, "the name of the file cannot be taken"),
        ({"file": "a" * 101}, "the name of the file cannot be taken"),
        ({"file": "a\nb.py"}, "the name of the file cannot be taken"),
        ({"message": "\x1b[2J"}, "the message takes one line of at most 500 characters that can"),
        ({"message": "two\nlines"}, "the message takes one line"),
        ({"message": "x" * 501}, "the message takes one line"),
        ({"message": "\u202egnol"}, "the message takes one line"),
        ({"owner": "a b"}, "'a b' cannot be an owner's name; say --owner with letters, digits"),
        ({"owner": ""}, "'' cannot be an owner's name"),
        ({"owner": "\x1b[31m"}, "'␛[31m' cannot be an owner's name"),
        ({"content": b""}, "it is empty; send a script, or an archive of a bot's folder"),
    ],
)
def test_invalid_submissions_are_rejected(
    empty_ladder: Ladder, told: dict[str, Any], said: str
) -> None:
    with pytest.raises(BadSubmission) as error:
        send(empty_ladder, **told)
    assert said in str(error.value)
    assert waiting(empty_ladder) == []
    assert not any((empty_ladder.folder / UPLOADS_FOLDER).iterdir())


def test_too_large(empty_ladder: Ladder) -> None:
    factories.change_settings(empty_ladder.folder, submissions={"size": 1})
    send(empty_ladder, b"x" * (1 << 20))
    with pytest.raises(
        UploadTooLarge, match=r"^it is larger than 1 MiB, which is what one may send$"
    ):
        send(empty_ladder, b"x" * ((1 << 20) + 1))
    assert len(list((empty_ladder.folder / UPLOADS_FOLDER).iterdir())) == 1


def test_the_daily_limit(empty_ladder: Ladder) -> None:
    factories.change_settings(empty_ladder.folder, submissions={"a_day": 2})
    for _ in range(2):
        send(empty_ladder)
    with pytest.raises(
        TooManySubmissions, match=r"^ann has sent 2 submissions within a day, .* tomorrow$"
    ):
        send(empty_ladder)
    send(empty_ladder, owner="bob")
    yesterday = (datetime.now(UTC) - timedelta(days=1, seconds=5)).isoformat(timespec="seconds")
    with Registry.open(empty_ladder.folder) as registry:
        assert registry.write("UPDATE submission SET sent = ? WHERE owner = 'ann'", yesterday) == 2
    send(empty_ladder)


def test_many_at_once_are_as_many_one_after_the_other(empty_ladder: Ladder) -> None:
    factories.change_settings(empty_ladder.folder, submissions={"a_day": 2})
    with Registry.open(empty_ladder.folder) as registry:
        begun = [
            Intake(empty_ladder.folder).begin_upload(registry, "ann", "ann.py") for _ in range(3)
        ]
        for one in begun:
            one.write(b"x")
        begun[0].finish(registry)
        begun[1].finish(registry)
        with pytest.raises(TooManySubmissions):
            begun[2].finish(registry)
        begun[2].discard()
    assert len(waiting(empty_ladder)) == 2
    assert len(list((empty_ladder.folder / UPLOADS_FOLDER).iterdir())) == 2


def test_the_limit_on_waiting_submissions(empty_ladder: Ladder) -> None:
    factories.change_settings(empty_ladder.folder, submissions={"waiting": 2})
    send(empty_ladder, owner="ann")
    send(empty_ladder, owner="bob")
    with pytest.raises(TooManySubmissions, match=r"^2 submissions wait already; send it later$"):
        send(empty_ladder, owner="cleo")


def test_an_aborted_upload_leaves_nothing(empty_ladder: Ladder) -> None:
    with Registry.open(empty_ladder.folder) as registry:
        incoming = Intake(empty_ladder.folder).begin_upload(registry, "ann", "ann.py")
        incoming.write(b"half of")
        incoming.discard()
        incoming.discard()
    assert waiting(empty_ladder) == []
    assert not any((empty_ladder.folder / UPLOADS_FOLDER).iterdir())


def test_a_folder_that_is_not_a_ladder(empty_ladder: Ladder) -> None:
    (empty_ladder.folder / "ladder.yaml").unlink()
    with pytest.raises(ArenaError, match="is not a ladder"):
        Intake(empty_ladder.folder)
