"""A site is written whole or not at all, and never over anything else."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from arena.file_lock import FileLock
from arena.report import build
from arena.report import site as site_module
from arena.report.build import BadSite, BuiltReport, ProgressCallback, build_report, write_site
from arena.report.data.survey import Survey, survey_run
from arena.report.pages.base import Pages
from arena.report.site import Site
from arena.store.run import Run
from tests.cli.runs import CELLS, create_run
from tests.report.runs import site_of
from tests.store.unwritable_folders import (
    IMPORTS,
    ROOT,
    mount_small_disk,
    run_unprivileged,
    world_readable_folder,
)

pytestmark = pytest.mark.slow


class Friday:
    """A small run that is surveyed once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with Run.open(folder) as run:
            self.survey: Survey = survey_run(run)

    def write(self, target: Path, on_progress: ProgressCallback = lambda *_: None) -> BuiltReport:
        """Write its site."""
        with Run.open(self.folder) as run:
            return write_site(Site(Pages(self.survey, run.name)), run, target, on_progress)


@pytest.fixture(scope="module")
def friday(tmp_path_factory: pytest.TempPathFactory) -> Friday:
    folder = tmp_path_factory.mktemp("runs") / "friday"
    return Friday(create_run(folder, cells=CELLS[:1], blocks=4))


def files(folder: Path) -> dict[str, bytes]:
    """All files of a folder by their paths."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def older(folder: Path) -> dict[str, bytes]:
    """A report that was there before."""
    for path in ("index.html", "static/site.css", "bots/9-gone.html"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("old")
    return files(folder)


def test_every_file_of_the_site(friday: Friday, tmp_path: Path) -> None:
    built = friday.write(tmp_path / "deep" / "site")
    found = files(tmp_path / "deep" / "site")
    site = site_of(friday.folder)
    assert set(found) == {*site.paths(), "lists/0-0.js", "games.csv"}
    assert built == (len(found), sum(map(len, found.values())))
    with Run.open(friday.folder) as run:
        assert found["games.csv"] == b"".join(site.games_csv(lambda: Run.open(friday.folder)))
        assert found["lists/0-0.js"] == site.content("lists/0-0.js", run)
        assert found["packs/a.js"] == site.content("packs/a.js", run)
    assert os.listdir(tmp_path / "deep") == ["site"]  # noqa: PTH208 (hidden ones too)


def test_progress(friday: Friday, tmp_path: Path) -> None:
    calls: list[tuple[str, int, int]] = []
    with Run.open(friday.folder) as run:
        built = build_report(run, tmp_path / "site", on_progress=lambda *call: calls.append(call))
    steps = list(dict.fromkeys(step for step, _, _ in calls))
    assert steps == [
        "ratings",
        "seats and points",
        "rating history",
        "a sample of games",
        "writing",
    ]
    assert all((done, total) == (0, 0) for step, done, total in calls if step != "writing")
    written = [(done, total) for step, done, total in calls if step == "writing"]
    assert written == sorted(written)
    assert {total for _, total in written} == {built.files - 1}
    assert written[-1][0] == built.files - 1


def test_a_bad_target_is_rejected_before_the_survey(
    friday: Friday, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "site").write_text("mine")
    monkeypatch.delattr(build, "survey_run")
    with Run.open(friday.folder) as run, pytest.raises(BadSite, match="is not a folder"):
        build_report(run, tmp_path / "site")


def test_an_older_report_is_replaced(friday: Friday, tmp_path: Path) -> None:
    older(tmp_path / "site")
    friday.write(tmp_path / "site")
    found = files(tmp_path / "site")
    assert "bots/9-gone.html" not in found
    assert found["index.html"] != b"old"
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_others_may_read_it_as_all_files_here(friday: Friday, tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        friday.write(tmp_path / "site")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "site").stat().st_mode) == 0o750
    assert stat.S_IMODE((tmp_path / "site" / "index.html").stat().st_mode) == 0o640


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
@pytest.mark.parametrize("when", [0, 30, None])
def test_an_interrupted_build_keeps_the_old_site(
    friday: Friday, tmp_path: Path, error: type[BaseException], when: int | None
) -> None:
    before = older(tmp_path / "site")

    def stop(step: str, done: int, total: int) -> None:
        assert step == "writing"
        if done == (total if when is None else when):
            raise error("now")

    with pytest.raises(BadSite if error is OSError else error):
        friday.write(tmp_path / "site", stop)
    assert files(tmp_path / "site") == before
    assert [one.name for one in tmp_path.iterdir()] == ["site"]
    with pytest.raises(BadSite if error is OSError else error):
        friday.write(tmp_path / "new", stop)
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, PermissionError])
@pytest.mark.parametrize("nth", [0, 1])
def test_a_site_that_cannot_be_put_in_place(
    friday: Friday,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
    nth: int,
) -> None:
    """Neither of the two moves that it takes can lose the old one."""
    before = older(tmp_path / "site")
    rename, moves = Path.rename, 0

    def failing(self: Path, target: Path) -> Path:
        nonlocal moves
        moves += 1
        if moves == nth + 1:
            raise error(1, "not now")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises(BadSite if error is PermissionError else error):
        friday.write(tmp_path / "site")
    assert files(tmp_path / "site") == before
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_a_page_that_cannot_be_made(
    friday: Friday, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Pages) -> bytes:
        raise ZeroDivisionError

    monkeypatch.setattr(site_module, "seats_page", fail)
    with pytest.raises(ZeroDivisionError):
        friday.write(tmp_path / "site")
    assert list(tmp_path.iterdir()) == []


def build_error(friday: Friday, place: Path) -> str:
    """What is said of a place where nothing is written; nothing there has changed."""
    with pytest.raises(BadSite) as told:
        friday.write(place)
    said = str(told.value)
    assert said.startswith(str(place))
    assert "\n" not in said
    return said


@pytest.mark.parametrize("name", ["notes.txt", "index.html", "static/site.css", ".hidden"])
def test_a_folder_with_something_else(friday: Friday, tmp_path: Path, name: str) -> None:
    """Only both files together make a report."""
    file = tmp_path / "site" / name
    file.parent.mkdir(parents=True)
    file.write_text("mine")
    assert "contains files that are not a report" in build_error(friday, tmp_path / "site")
    assert files(tmp_path / "site") == {name: b"mine"}


def test_the_folder_of_the_run(friday: Friday) -> None:
    before = files(friday.folder)
    build_error(friday, friday.folder)
    assert files(friday.folder) == before


def test_a_file(friday: Friday, tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    assert "is not a folder" in build_error(friday, tmp_path / "site")
    assert (tmp_path / "site").read_text() == "mine"
    assert "cannot be written: " in build_error(friday, tmp_path / "site" / "below")


def test_an_empty_folder(friday: Friday, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    friday.write(tmp_path / "site")
    assert (tmp_path / "site" / "index.html").is_file()


@pytest.mark.parametrize("inside", [".", "bots"])
def test_replacing_the_current_folder_is_refused(
    friday: Friday, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str
) -> None:
    """Whoever stands in a folder that is replaced would stand nowhere."""
    before = older(tmp_path / "site")
    monkeypatch.chdir(tmp_path / "site" / inside)
    assert "outside of it" in build_error(friday, Path() if inside == "." else Path(".."))
    assert files(tmp_path / "site") == before


def test_behind_a_link(friday: Friday, tmp_path: Path) -> None:
    """The link stays, and what it leads to is replaced beside itself."""
    target = tmp_path / "elsewhere" / "www"
    older(target)
    (tmp_path / "site").symlink_to(target)
    friday.write(tmp_path / "site")
    assert (tmp_path / "site").is_symlink()
    assert "bots/9-gone.html" not in files(target)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["elsewhere", "site"]
    assert [one.name for one in target.parent.iterdir()] == ["www"]


def test_behind_a_link_to_another_disk(friday: Friday, tmp_path: Path) -> None:
    with mount_small_disk("8m") as disk:
        older(disk / "www")
        (tmp_path / "site").symlink_to(disk / "www")
        friday.write(tmp_path / "site")
        assert "games.csv" in files(disk / "www")


def test_behind_a_link_that_leads_nowhere_yet(friday: Friday, tmp_path: Path) -> None:
    (tmp_path / "site").symlink_to(tmp_path / "new" / "www")
    friday.write(tmp_path / "site")
    assert "games.csv" in files(tmp_path / "new" / "www")


def test_links_in_a_circle(friday: Friday, tmp_path: Path) -> None:
    (tmp_path / "site").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "site")
    assert "its symbolic links form a loop" in build_error(friday, tmp_path / "site")
    build_error(friday, tmp_path / "site" / "below")


@pytest.mark.parametrize("before", [True, False])
def test_a_full_disk(friday: Friday, before: bool) -> None:
    with mount_small_disk("300k") as disk:
        kept = older(disk / "site") if before else {}
        assert "No space left on device" in build_error(friday, disk / "site")
        assert files(disk) == {f"site/{path}": text for path, text in kept.items()}
        assert [one.name for one in disk.iterdir()] == ["site"] * before


def test_unreadable_folders() -> None:
    program = """
for path in map(Path, sys.argv[1:]):
    try:
        print(resolve_target(path))
    except ArenaError as error:
        print(error)
"""
    with world_readable_folder() as folder:
        (folder / "secret").mkdir(mode=0o000)
        (folder / "site").mkdir(mode=0o111)
        paths = [str(folder / "secret" / "site"), str(folder / "site")]
        said = run_unprivileged(
            program, *paths, first="from arena.report.build import resolve_target\n"
        )
    assert said.splitlines() == [f"{path} cannot be read: Permission denied" for path in paths]


BEFORE = """
from arena.report.build import build_report
folder, *places = map(Path, sys.argv[1:])
with Run.open(folder) as run:
    build_report(run, folder.parent / "first")  # imports all that it needs
folder.parent.chmod(0o555)  # also for its owner
"""
AFTER = """
for place in places:
    with Run.open(folder) as run:
        try:
            print(build_report(run, place).files)
        except ArenaError as error:
            print(error)
"""


@pytest.mark.slow
def test_a_folder_that_may_not_be_written() -> None:
    with world_readable_folder() as folder:
        run = create_run(folder / "friday", cells=CELLS[:1], blocks=2)
        (folder / "open").mkdir()
        (folder / "open").chmod(0o777)
        places = [folder / "first", folder / "new", folder / "open" / "site"]
        said = run_unprivileged(AFTER, *map(str, (run, *places)), first=BEFORE).splitlines()
        folder.chmod(0o755)
        refused = [f"{place} cannot be written: Permission denied" for place in places[:2]]
        assert said[:2] == refused
        assert (
            said[2]
            == str(len(files(folder / "open" / "site")))
            == str(len(files(folder / "first")))
        )
        assert {one.name for one in folder.iterdir()} == {"first", "friday", "open"}


@pytest.mark.slow
def test_leftovers_of_killed_builds_are_removed(friday: Friday, tmp_path: Path) -> None:
    """But not a site that another process is writing."""
    program = f"{BEFORE}{AFTER}".replace(
        "build_report(run, place)", "build_report(run, place, on_progress=die)"
    )
    assert "on_progress=die" in program
    die = "def die(step, done, total):\n    if done == 9:\n        os.kill(os.getpid(), 9)\n"
    words = [sys.executable, "-c", IMPORTS + die + program, friday.folder, tmp_path / "site"]
    assert subprocess.run(list(map(str, words)), cwd=ROOT, check=False).returncode == -9
    (left,) = tmp_path.iterdir()
    friday.folder.parent.chmod(0o755)
    shutil.rmtree(friday.folder.parent / "first")
    with FileLock(left):
        friday.write(tmp_path / "site")
        assert {one.name for one in tmp_path.iterdir()} == {left.name, "site"}
    friday.write(tmp_path / "site")
    assert [one.name for one in tmp_path.iterdir()] == ["site"]


def test_the_mark_is_a_file_of_every_site(friday: Friday) -> None:
    assert build.SITE_MARKER in set(site_of(friday.folder).paths())
