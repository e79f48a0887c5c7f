"""An upload becomes a folder or a sentence, by a process that may use little and can be lost."""

import bz2
import io
import lzma
import os
import random
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.archives.limits import BadArchive, UnpackLimits
from arena.archives.unpack import (
    UnpackedUpload,
    read_answer,
    unpack_upload,
    write_bot_archive,
)
from arena.bots.digest import bot_digest
from arena.errors import ArenaError, BadBot, HarnessFailure
from tests.archives.archive_builders import (
    TarEntry,
    ZipEntry,
    build_tar,
    build_zip,
    gzip_compress,
    lzma_compress,
    xz_with_huge_dictionary,
)
from tests.archives.hostile_uploads import HOSTILE, Case
from tests.archives.test_unpack_child import SEEDS, tree

pytestmark = pytest.mark.slow

MANIFEST = ZipEntry("bot.yaml", b"name: x\nrun: [./main]\n")
PROGRAM = ZipEntry("main", b"#!/bin/sh\n", mode=0o100755)


@pytest.fixture
def upload(tmp_path: Path) -> Iterator[Path]:
    """A file that was uploaded; beside it lies, in the end, nothing but what was unpacked."""
    yield tmp_path / "upload"
    assert {path.name for path in tmp_path.iterdir()} <= {"upload", "folder", "bot"}
    assert not Path("/stichkampf-outside").exists()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where it is to be unpacked."""
    return tmp_path / "folder"


MEASURE = """
import resource, sys
from pathlib import Path
from arena.archives.unpack import BadArchive, unpack_upload
try:
    unpack_upload(Path(sys.argv[1]), "up", Path(sys.argv[2]))
except BadArchive as error:
    pass
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""

SOME = (
    *("zip, link", "zip, bomb", "tar.xz, hungry", "pax, name: up", "empty", "script called '..'"),
    *("zip, name: escape", "zip, big file"),
)


def test_some_hostile_uploads(upload: Path, folder: Path) -> None:
    for name in SOME:
        check_refused(HOSTILE[name], upload, folder)


@pytest.mark.soak
@pytest.mark.parametrize("case", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_uploads(upload: Path, folder: Path, case: Case) -> None:
    """All those that are unpacked without a process elsewhere."""
    check_refused(case, upload, folder)


def check_refused(case: Case, upload: Path, folder: Path) -> None:
    """Hold that an upload is refused, by the words of its case, and leaves nothing."""
    with pytest.raises(BadArchive) as error:
        unpack_upload(case.written(upload), case.name, folder, case.allowed)
    said = str(error.value)
    assert case.words in said
    assert said.isprintable()
    assert "Traceback" not in said
    assert [path.name for path in folder.parent.iterdir()] == ["upload"]


GOOD: dict[str, tuple[bytes, UnpackedUpload, dict[str, bytes | None]]] = {
    "a bot": (
        build_zip(MANIFEST, PROGRAM),
        UnpackedUpload("zip", 2, 32),
        {"bot.yaml": MANIFEST.content, "main": PROGRAM.content},
    ),
    "a folder": (
        build_zip("my bot/bot.yaml", "my bot/d/f", "__MACOSX/._my bot", ZipEntry("my bot/", b"")),
        UnpackedUpload("zip", 2, 2),
        {"bot.yaml": b"x", "d": None, "d/f": b"x"},
    ),
    "a folder in a folder": (
        build_tar("./a/b/bot.yaml", "./a/b/f"),
        UnpackedUpload("tar", 2, 2),
        {"b": None, "b/bot.yaml": b"x", "b/f": b"x"},
    ),
    "a folder beside a manifest": (
        gzip_compress(build_tar("bot.yaml", "d/f")),
        UnpackedUpload("tar.gz", 2, 2),
        {"bot.yaml": b"x", "d": None, "d/f": b"x"},
    ),
    "two folders": (
        bz2.compress(build_tar("a/f", "b/f")),
        UnpackedUpload("tar.bz2", 2, 2),
        {"a": None, "a/f": b"x", "b": None, "b/f": b"x"},
    ),
    "names": (
        lzma.compress(build_tar("Schlüssel/♠.txt", "é")),
        UnpackedUpload("tar.xz", 2, 2),
        {"Schlüssel": None, "Schlüssel/♠.txt": b"x", "é": b"x"},
    ),
    "a script in a folder": (
        build_zip("a/b.py"),
        UnpackedUpload("zip", 1, 1, "b.py"),
        {"b.py": b"x"},
    ),
    "a manifest": (build_zip("bot.yaml"), UnpackedUpload("zip", 1, 1), {"bot.yaml": b"x"}),
    "a script": (b"print()", UnpackedUpload("script", 1, 7, "up.py"), {"up.py": b"print()"}),
}


@pytest.mark.parametrize(("content", "expected", "files"), GOOD.values(), ids=GOOD.keys())
def test_good_uploads(
    upload: Path,
    folder: Path,
    content: bytes,
    expected: UnpackedUpload,
    files: dict[str, bytes | None],
) -> None:
    upload.write_bytes(content)
    assert unpack_upload(upload, "C:\\fakepath\\up.py", folder) == expected
    assert tree(folder) == files
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_modes(upload: Path, folder: Path) -> None:
    upload.write_bytes(build_zip(MANIFEST, PROGRAM, ZipEntry("s", mode=0o104755)))
    unpack_upload(upload, "up.zip", folder)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"bot.yaml": 0o644, "main": 0o755, "s": 0o755}


def test_the_error_names_upload_and_entry_fit_to_be_shown(upload: Path, folder: Path) -> None:
    upload.write_bytes(build_tar(TarEntry("evil\x1b[31m", b"", b"2")))
    with pytest.raises(BadArchive) as error:
        unpack_upload(upload, "up\x1b[2J.tar", folder)
    assert str(error.value) == (
        "up␛[2J.tar: the name evil␛[31m holds characters that do not show; rename it"
    )


@pytest.mark.parametrize("name", ["x" * 100_000, "\ud800", "a\0b", "\u202e" * 5000])
def test_names_of_uploads(upload: Path, folder: Path, name: str) -> None:
    upload.write_bytes(b"print()")
    with pytest.raises(BadArchive, match="it is taken for a script") as error:
        unpack_upload(upload, name, folder)
    assert len(str(error.value)) < 500
    assert str(error.value).isprintable()


def test_a_folder_that_exists_is_left_alone(upload: Path, folder: Path) -> None:
    upload.write_bytes(build_zip(MANIFEST))
    folder.mkdir()
    with pytest.raises(ArenaError, match="exists already"):
        unpack_upload(upload, "up.zip", folder)
    folder.rmdir()
    folder.symlink_to("nowhere")
    with pytest.raises(ArenaError, match="exists already"):
        unpack_upload(upload, "up.zip", folder)
    assert folder.is_symlink()


def test_errors_of_this_machine_are_harness_failures(upload: Path, folder: Path) -> None:
    with pytest.raises(HarnessFailure, match=r"up.zip cannot be unpacked here: .*upload: No such"):
        unpack_upload(upload, "up.zip", folder)
    upload.symlink_to("/etc/passwd")
    with pytest.raises(HarnessFailure, match=r"up\.zip cannot be unpacked here"):
        unpack_upload(upload, "up.zip", folder)
    upload.unlink()
    os.mkfifo(upload)
    with pytest.raises(ArenaError, match="is not a plain file"):
        unpack_upload(upload, "up.zip", folder)
    upload.unlink()
    upload.write_bytes(build_zip(MANIFEST))
    with pytest.raises(HarnessFailure, match="No such file"):
        unpack_upload(upload, "up.zip", folder / "deep" / "er")


def test_a_disk_that_is_full_here(upload: Path, folder: Path) -> None:
    """Or as here: this process may write no longer files, and so may none that it starts."""
    upload.write_bytes(build_tar(MANIFEST.content.decode()[:4], TarEntry("long", bytes(100_000))))
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))\n"
    argv = [sys.executable, "-c", full + MEASURE, str(upload), str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert "HarnessFailure: up cannot be unpacked here: File too large" in done.stderr
    assert not folder.exists()


def test_a_killed_unpacking_leaves_nothing(
    upload: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    block = bytes(random.Random(1).choices(range(2), k=900_000))
    first = build_tar("small", TarEntry("big", b"", size=b"%011o\0" % (80 * len(block))), end=b"")
    upload.write_bytes(bz2.compress(first) + bz2.compress(block) * 80)
    allowed = UnpackLimits(
        size=16 << 20, total=1 << 30, file=1 << 30
    )  # it must not end before it is killed
    over, killed = threading.Event(), threading.Event()

    def kill() -> None:
        while not over.wait(0.001) and not killed.is_set():
            if list(folder.parent.glob(".unpacking-*/bot/big")):
                for child in children():
                    os.kill(child, signal.SIGKILL)
                    killed.set()

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        with pytest.raises(BadArchive, match=r"up: unpacking it was stopped by signal 9; pack"):
            unpack_upload(upload, "up", folder, allowed)
    finally:
        over.set()
        killer.join()
    assert killed.is_set()
    assert not folder.exists()
    assert not caplog.records


def children() -> list[int]:
    """The processes of ours that unpack."""
    tasks = Path("/proc/self/task").glob("*/children")
    found = [child for task in tasks for child in task.read_text().split()]
    return [
        int(child)
        for child in found
        if b"archives.unpack_child" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def test_a_time_limit_on_unpacking(upload: Path, folder: Path) -> None:
    upload.write_bytes(build_zip(MANIFEST))
    with pytest.raises(BadArchive, match=r"took longer than 0\.001 s"):
        unpack_upload(upload, "up.zip", folder, UnpackLimits(seconds=0.001))
    assert not folder.exists()
    assert not children()


def test_a_cpu_limit_on_unpacking(upload: Path, folder: Path) -> None:
    block = bytes(random.Random(1).choices(range(2), k=900_000))
    first = build_tar(TarEntry("big", b"", size=b"%011o\0" % (70 * len(block))), end=b"")
    upload.write_bytes(bz2.compress(first) + bz2.compress(block) * 70)
    allowed = UnpackLimits(cpu=1, total=1 << 30, file=1 << 30)
    with pytest.raises(BadArchive, match="took too much computing"):
        unpack_upload(upload, "up.zip", folder, allowed)
    assert not folder.exists()


def test_a_memory_limit_on_unpacking(upload: Path, folder: Path) -> None:
    """A dictionary that would be allowed has no room."""
    upload.write_bytes(lzma.compress(build_tar(MANIFEST.content.decode()[:4]), preset=9))
    allowed = UnpackLimits(memory=80 << 20)
    with pytest.raises(BadArchive, match="it takes more than 80 MiB of memory to unpack"):
        unpack_upload(upload, "up.tar.xz", folder, allowed)
    unpack_upload(upload, "up.tar.xz", folder)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (0, b""),
        (0, b"Traceback"),
        (0, b'{"kind":1}'),
        (0, b"[" * 4000),
        (0, b'{"kind":"zip"}' + b" " * 5000),
        (1, b'{"kind":"zip"}'),
    ],
)
def test_malformed_answers_of_the_unpacking_process(
    status: int, said: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    answer = read_answer(status, io.BytesIO(said), io.BytesIO(b"Oh\x1b[2J"))
    assert answer.rejection.startswith("it cannot be unpacked; pack the bot's folder")
    assert [record.getMessage() for record in caplog.records] == [
        f"the process that unpacks ended with {status}: Oh␛[2J"
    ]


HUGE = 128 << 20
LARGE = 48 << 20
"""Bytes that are too many beside those that Python takes, and more than a file may have."""
BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "tar.gz": lambda zeros: gzip_compress(build_tar(TarEntry("f", zeros))),
    "tar.bz2": lambda zeros: bz2.compress(build_tar(TarEntry("f", zeros))),
    "tar.xz": lambda zeros: lzma.compress(build_tar(TarEntry("f", zeros)), preset=0),
    "zip": lambda zeros: build_zip(ZipEntry("f", zeros, 8)),
    "zip, bzip2": lambda zeros: build_zip(ZipEntry("f", zeros, 12, packed=bz2.compress(zeros))),
    "zip, LZMA": lambda zeros: build_zip(
        ZipEntry("f", zeros, 14, flags=2, packed=lzma_compress(zeros))
    ),
    "long header": lambda zeros: gzip_compress(build_tar(TarEntry("f", zeros, b"L"))),
    "long list": lambda _: build_zip("f", *(f".git/{number}" for number in range(50_000))),
    "hungry": lambda _: xz_with_huge_dictionary(build_tar("f")),
}


@pytest.mark.parametrize("size", [LARGE, pytest.param(HUGE, marks=pytest.mark.soak)])
@pytest.mark.parametrize("made", BOMBS.values(), ids=BOMBS.keys())
def test_bombs_take_little_memory(
    upload: Path, folder: Path, made: Callable[[bytes], bytes], size: int
) -> None:
    """Less than 64 MiB, of which Python takes some 25; all that would come out takes more."""
    upload.write_bytes(made(bytes(size)))
    argv = [sys.executable, "-c", MEASURE, str(upload), str(folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 64 << 10
    assert not folder.exists()


@given(kind=st.sampled_from(["zip", "tar.gz"]), data=st.data())
def test_any_change_is_unpacked_or_refused(
    tmp_path_factory: pytest.TempPathFactory, kind: str, data: st.DataObject
) -> None:
    place = tmp_path_factory.mktemp("changed")
    content = bytearray(SEEDS[kind])
    for index in data.draw(st.lists(st.integers(0, len(content) - 1), max_size=4)):
        content[index] = data.draw(st.integers(0, 255))
    (place / "upload").write_bytes(content)
    try:
        found = unpack_upload(place / "upload", "up", place / "folder")
    except BadArchive:
        assert not (place / "folder").exists()
    else:
        files = [content for content in tree(place / "folder").values() if content is not None]
        assert (found.files, found.size) == (len(files), sum(map(len, files)))


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot in a folder, with what tools have left there."""
    place = tmp_path / "bot"
    (place / "deep" / "Schlüssel").mkdir(parents=True)
    (place / "bot.yaml").write_text("name: x\nrun: [./main]\n")
    (place / "main").write_text("#!/bin/sh\n")
    (place / "main").chmod(0o711)
    (place / "deep" / "Schlüssel" / ("♠" * 60)).write_bytes(bytes(100_000))
    (place / "__pycache__").mkdir()
    (place / "__pycache__" / "main.pyc").touch()
    (place / "target").mkdir()
    (place / "target" / "built").touch()
    return place


@pytest.mark.parametrize("ignored", [(), ("target",)])
def test_packed_and_unpacked(
    bot: Path, upload: Path, folder: Path, ignored: tuple[str, ...]
) -> None:
    write_bot_archive(bot, upload, ignored)
    found = unpack_upload(upload, "up", folder)
    assert found == UnpackedUpload("tar.gz", 4 - len(ignored), 100_032)
    assert bot_digest(folder, ignored) == bot_digest(bot, ignored)
    assert (folder / "target").exists() == (not ignored)
    assert not (folder / "__pycache__").exists()


def test_a_script_packed_and_unpacked(bot: Path, upload: Path, folder: Path) -> None:
    write_bot_archive(bot / "main", upload)
    assert unpack_upload(upload, "up", folder) == UnpackedUpload("tar.gz", 1, 10, "main")
    assert bot_digest(folder) == bot_digest(folder / "main") == bot_digest(bot / "main")


def test_the_same_bot_is_packed_to_the_same_bytes(bot: Path, upload: Path) -> None:
    write_bot_archive(bot, upload)
    before = upload.read_bytes()
    os.utime(bot / "main", (1, 1))
    (bot / "bot.yaml").chmod(0o600)
    write_bot_archive(bot, upload)
    assert upload.read_bytes() == before


def test_links_and_special_files_are_not_packed(bot: Path, upload: Path) -> None:
    (bot / "link").symlink_to("main")
    with pytest.raises(BadBot, match=r"bot/link is a link; put the file itself in its place"):
        write_bot_archive(bot, upload)
    assert not upload.exists()
    with pytest.raises(BadBot, match="bot/link is a link"):
        write_bot_archive(bot / "link", upload)
    (bot / "link").unlink()
    os.mkfifo(bot / "pipe")
    with pytest.raises(BadBot, match="bot/pipe is neither a file, a folder nor a link"):
        write_bot_archive(bot, upload)
    (bot / "empty").mkdir()
    with pytest.raises(BadBot, match="empty is empty"):
        write_bot_archive(bot / "empty", upload)
    for place in (bot, bot / "main", bot / "new"):
        with pytest.raises(BadBot, match="is a part of the bot"):
            write_bot_archive(bot, place)
    with pytest.raises(BadBot, match="is a part of the bot"):
        write_bot_archive(bot / "main", bot / "main")
    assert (bot / "main").read_text() == "#!/bin/sh\n"
    with pytest.raises(BadBot, match="nowhere: No such file"):
        write_bot_archive(bot / "nowhere", upload)
    assert not upload.exists()
