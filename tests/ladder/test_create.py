"""The file of a new ladder, and its first bots."""

from pathlib import Path

import pytest
import yaml

from arena.bots.bot import builtin_bots
from arena.errors import ArenaError
from arena.ladder import create
from arena.ladder.create import DEFAULT_VARIANTS, add_reference_bots, settings_text
from arena.ladder.folder import (
    BOTS_FOLDER,
    UPLOADS_FOLDER,
    Ladder,
    create_ladder_folder,
    open_ladder,
)
from arena.ladder.registry import Registry
from arena.ladder.settings import LadderKeys, load_settings
from arena.ladder.submissions.placement import REFERENCE_BOTS
from arena.tournaments.config.yaml_file import key_names
from tests.ladder import factories


@pytest.mark.needs("sandbox")
def test_the_file_of_a_new_ladder_loads_and_has_every_key(tmp_path: Path) -> None:
    told = settings_text("my ladder", DEFAULT_VARIANTS, [3, 4])
    ladder = create_ladder_folder(tmp_path / "ladder", told)
    found = load_settings(ladder.folder)
    assert found.keys.name == "my ladder"
    assert len(found.cells) == 7, "hat-trick is nothing for three"
    plain = LadderKeys(name="my ladder", variants=DEFAULT_VARIANTS, seats=(3, 4))
    assert found.keys == plain, "what it says is what would hold without it"
    assert set(yaml.safe_load(told)) == set(key_names(LadderKeys)) - {"standing"}
    assert max(map(len, told.splitlines())) <= 100


@pytest.mark.needs("sandbox")
@pytest.mark.parametrize("name", ["7", "null", "2h", "yes", "a.b", "3.0", "0x10", "1_000", "~x"])
def test_names_that_look_like_other_yaml_types(tmp_path: Path, name: str) -> None:
    (tmp_path / "ladder.yaml").write_text(settings_text(name, ["stick-em"], "all"))
    if name == "~x":
        with pytest.raises(ArenaError, match=r"\$.name: that cannot be taken"):
            load_settings(tmp_path)
    else:
        assert load_settings(tmp_path).keys.name == name


@pytest.mark.parametrize(
    "variant", ["sticheln+*", "all", "stick-em", "[s]tick-em", "{x}", "#", "a: b"]
)
def test_variants_stand_there_as_they_were_given(variant: str) -> None:
    assert yaml.safe_load(settings_text("x", [variant], [3]))["variants"] == [variant]


def test_reference_bots_are_frozen_copies_and_anchors(ladder: Ladder) -> None:
    with Registry.open(ladder.folder) as registry:
        versions = registry.versions()
    assert [one.name for one in versions] == list(REFERENCE_BOTS)
    assert {(one.owner, one.number, one.state) for one in versions} == {("", 1, "active")}
    about = factories.read_header(ladder.folder)
    assert about.rating["anchors"] == [f"{name} v1" for name in REFERENCE_BOTS]
    known = builtin_bots()
    for one in versions:
        bot = ladder.load_bot(one)
        assert bot.folder == (ladder.folder / BOTS_FOLDER / one.digest).absolute()
        files = {path.name for path in bot.folder.iterdir()}
        assert "bot.yaml" in files
        assert files <= {path.name for path in known[one.name].iterdir()}
    assert not any((ladder.folder / UPLOADS_FOLDER).iterdir())


def test_a_reference_bot_that_cannot_join_leaves_no_ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "bot.yaml").write_text("name: odd\nrun: [no-such-program]\n")
    known = {**builtin_bots(), "lowest": tmp_path / "odd"}
    monkeypatch.setattr(create, "builtin_bots", lambda: known)
    with pytest.raises(ArenaError, match=r"^the reference bot lowest cannot join: .*no-such-pro"):
        create_ladder_folder(tmp_path / "ladder", factories.ladder_yaml(), add_reference_bots)
    assert not (tmp_path / "ladder").exists()


def test_reference_bots_may_join_later(empty_ladder: Ladder) -> None:
    factories.add_version(empty_ladder, "ann")
    assert add_reference_bots(open_ladder(empty_ladder.folder)) == list(REFERENCE_BOTS)
    about = factories.read_header(empty_ladder.folder)
    assert [bot.name for bot in about.bots][:2] == ["ann v1", "random v1"]
