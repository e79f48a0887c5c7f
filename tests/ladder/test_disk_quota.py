"""What the bots of an owner take up on the disk, and what is refused for it."""

import os
from pathlib import Path

import pytest

from arena.bots.sandbox.limits import MIB
from arena.ladder import cleanup, disk_quota
from arena.ladder.disk_quota import DiskQuotaExceeded
from arena.ladder.folder import BOTS_FOLDER, UPLOADS_FOLDER, Ladder
from arena.ladder.registry import Registry
from arena.ladder.submissions.intake import Intake
from tests.ladder import factories

pytestmark = pytest.mark.slow

BUILT = "name: ann\nrun: [./ann.sh]\nbuild: [./make.sh]\n"
LARGE = "#!/bin/sh\nhead -c 3000000 /dev/urandom > large\n"


def used(ladder: Ladder, owner: str = "ann") -> int:
    with Registry.open(ladder.folder) as registry:
        return disk_quota.used_bytes(ladder, registry, owner)


def fill(folder: Path, mebibytes: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "large").write_bytes(os.urandom(mebibytes * MIB))


def send(ladder: Ladder, content: bytes = b"x", owner: str = "ann") -> None:
    with Registry.open(ladder.folder) as registry:
        incoming = Intake(ladder.folder).begin_upload(registry, owner, "ann.py")
        try:
            incoming.write(content)
            incoming.finish(registry)
        except BaseException:
            incoming.discard()
            raise


def test_files_builds_and_what_waits_are_counted(empty_ladder: Ladder, tmp_path: Path) -> None:
    assert used(empty_ladder) == 0
    version = factories.add_version(empty_ladder, "ann")
    files = used(empty_ladder)
    assert 0 < files < MIB
    fill(empty_ladder.build_folder(version.digest), 2)
    assert used(empty_ladder) == files + 2 * MIB
    script = factories.write_script(tmp_path)
    script.write_bytes(b"#" * MIB)
    factories.upload_bot(empty_ladder, script)
    assert used(empty_ladder) == files + 3 * MIB
    with Registry.open(empty_ladder.folder) as registry:
        registry.write("UPDATE version SET state = 'retired'")
    assert used(empty_ladder) == files + 3 * MIB, "whether or not it still plays"
    assert used(empty_ladder, "bob") == 0


def test_an_owner_over_the_quota(empty_ladder: Ladder) -> None:
    ladder = factories.change_settings(empty_ladder.folder, submissions={"quota": 2})
    version = factories.add_version(ladder, "ann")
    (ladder.folder / BOTS_FOLDER / version.digest).chmod(0o755)
    fill(ladder.folder / BOTS_FOLDER / version.digest, 1)
    said = (
        r"^the bots of ann take up 3 MiB on the disk with this one, and 2 MiB are allowed for each "
        r"owner; send a smaller one, or wait: .* after the next night, their files after 7 nights$"
    )
    with pytest.raises(DiskQuotaExceeded, match=said):
        send(ladder, b"x" * (MIB - 1000))
    assert list((ladder.folder / UPLOADS_FOLDER).iterdir()) == []
    send(ladder)
    fill(ladder.folder / BOTS_FOLDER / version.digest / "more", 2)
    with (
        Registry.open(ladder.folder) as registry,
        pytest.raises(DiskQuotaExceeded, match=r"take up 4 MiB"),
    ):
        Intake(ladder.folder).begin_upload(registry, "ann", "ann.py")
    send(ladder, owner="bob")


def test_a_disk_that_is_nearly_full(empty_ladder: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    send(empty_ladder)
    monkeypatch.setattr(cleanup, "MIN_FREE_BYTES", 1 << 60)
    with (
        Registry.open(empty_ladder.folder) as registry,
        pytest.raises(DiskQuotaExceeded, match=r"is nearly full"),
    ):
        Intake(empty_ladder.folder).begin_upload(registry, "ann", "ann.py")
    assert len(list((empty_ladder.folder / UPLOADS_FOLDER).iterdir())) == 1


@pytest.mark.parametrize(
    ("changes", "step", "said"),
    [
        (
            {"build": 2},
            "build",
            "its build has left 3 MiB, and 2 are allowed; let the build remove what is not needed",
        ),
        ({"quota": 2}, "quota", "the bots of ann take up 3 MiB on the disk with this one, and 2 "),
    ],
)
def test_builds_that_leave_too_much(
    empty_ladder: Ladder, tmp_path: Path, changes: dict[str, int], step: str, said: str
) -> None:
    """They are refused, and the build is removed."""
    ladder = factories.change_settings(empty_ladder.folder, submissions=changes)
    made = factories.write_bot_folder(tmp_path / "ann", BUILT, make_sh=LARGE, ann_sh="#!/bin/sh\n")
    fate, told = factories.submit_bot(ladder, factories.pack_folder(made, "gztar"))
    assert (fate, told[-1].step) == ("refused", step)
    assert told[-1].text.startswith(said)
    assert list(empty_ladder.builds_folder.iterdir()) == []
    assert used(ladder) == 0
