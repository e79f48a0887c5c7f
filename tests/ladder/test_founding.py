"""The file of a new ladder, and its first bots."""

from pathlib import Path

import pytest
import yaml

from arena.bots.bot import reference
from arena.errors import ArenaError
from arena.ladder import founding
from arena.ladder.folder import BOTS, INCOMING, Ladder, make, open_ladder
from arena.ladder.founding import VARIANTS, join_references, text
from arena.ladder.placement import SPARRING
from arena.ladder.registry import Registry
from arena.ladder.settings import Keys, load
from arena.tournaments.keys import names
from tests.ladder import places


@pytest.mark.needs("sandbox")
def test_the_file_of_a_new_ladder_loads_and_has_every_key(tmp_path: Path) -> None:
    told = text("my ladder", VARIANTS, [3, 4])
    ladder = make(tmp_path / "ladder", told)
    found = load(ladder.folder)
    assert found.keys.name == "my ladder"
    assert len(found.cells) == 7, "hat-trick is nothing for three"
    plain = Keys(name="my ladder", variants=VARIANTS, seats=(3, 4))
    assert found.keys == plain, "what it says is what would hold without it"
    assert set(yaml.safe_load(told)) == set(names(Keys)) - {"standing"}
    assert max(map(len, told.splitlines())) <= 100


@pytest.mark.needs("sandbox")
@pytest.mark.parametrize("name", ["7", "null", "2h", "yes", "a.b", "3.0", "0x10", "1_000", "~x"])
def test_names_that_yaml_would_take_for_something_else(tmp_path: Path, name: str) -> None:
    (tmp_path / "ladder.yaml").write_text(text(name, ["stick-em"], "all"))
    if name == "~x":
        with pytest.raises(ArenaError, match=r"\$.name: that cannot be taken"):
            load(tmp_path)
    else:
        assert load(tmp_path).keys.name == name


@pytest.mark.parametrize(
    "variant", ["sticheln+*", "all", "stick-em", "[s]tick-em", "{x}", "#", "a: b"]
)
def test_variants_stand_there_as_they_were_given(variant: str) -> None:
    assert yaml.safe_load(text("x", [variant], [3]))["variants"] == [variant]


def test_reference_bots_are_frozen_copies_and_anchors(ladder: Ladder) -> None:
    with Registry.open(ladder.folder) as registry:
        versions = registry.versions()
    assert [one.name for one in versions] == list(SPARRING)
    assert {(one.owner, one.number, one.state) for one in versions} == {("", 1, "active")}
    about = places.header(ladder.folder)
    assert about.rating["anchors"] == [f"{name} v1" for name in SPARRING]
    known = reference()
    for one in versions:
        bot = ladder.bot(one)
        assert bot.folder == (ladder.folder / BOTS / one.digest).absolute()
        files = {path.name for path in bot.folder.iterdir()}
        assert "bot.yaml" in files
        assert files <= {path.name for path in known[one.name].iterdir()}
    assert not any((ladder.folder / INCOMING).iterdir())


def test_a_reference_bot_that_cannot_join_leaves_no_ladder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "bot.yaml").write_text("name: odd\nrun: [no-such-program]\n")
    known = {**reference(), "lowest": tmp_path / "odd"}
    monkeypatch.setattr(founding, "reference", lambda: known)
    with pytest.raises(ArenaError, match=r"^the reference bot lowest cannot join: .*no-such-pro"):
        make(tmp_path / "ladder", places.text(), join_references)
    assert not (tmp_path / "ladder").exists()


def test_reference_bots_may_join_later(bare: Ladder) -> None:
    places.join(bare, "ann")
    assert join_references(open_ladder(bare.folder)) == list(SPARRING)
    about = places.header(bare.folder)
    assert [bot.name for bot in about.bots][:2] == ["ann v1", "random v1"]
