"""Names that look like another's are not given away."""

from pathlib import Path

import pytest

from arena.ladder.folder import Ladder
from arena.ladder.names import canonical_name, find_look_alike, skeleton
from arena.ladder.registry import BadSubmission, Registry
from arena.ladder.submissions.intake import Intake
from arena.ladder.submissions.pipeline import RefusedSubmission, SubmissionPipeline
from arena.ladder.tokens import find_owner, issue_token, revoke_token
from tests.cli.invoke import invoke_arena
from tests.ladder import factories
from tests.ladder.test_registry import make_submission

SAME = ("careful", "Careful", "carefu1", "carefuI", "care-ful", "care.ful_", "C_A_R_E_F_U_L")


@pytest.mark.parametrize("name", SAME)
def test_names_that_look_the_same(name: str) -> None:
    assert skeleton(name) == skeleton("careful")
    assert find_look_alike(name, ["random", "careful"]) == "careful"


@pytest.mark.parametrize(
    ("one", "other"), [("rand0m", "random"), ("randorn", "random"), ("vvin", "w1n"), ("I", "1")]
)
def test_characters_that_look_the_same(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize("name", ["carefull", "careful2", "carful", "lowest", "care4ul"])
def test_names_that_look_different(name: str) -> None:
    assert find_look_alike(name, ["careful"]) is None


def test_a_name_as_it_is_known() -> None:
    assert canonical_name("ANN", ["ann", "bob"]) == "ann"
    assert canonical_name("ANN", ["ann", "ANN"]) == "ANN", "both were there before"
    assert canonical_name("ann_", ["ann"]) is None


def name_and_number(ladder: Ladder, name: str, owner: str = "eve") -> tuple[str, int]:
    admission = SubmissionPipeline(
        ladder, make_submission("a", owner), ladder.folder, lambda _said: None
    )
    with Registry.open(ladder.folder) as registry:
        return admission.name_and_number(registry.versions(), name, "x")


@pytest.mark.parametrize("name", ["carefu1", "care-ful", "Careful."])
def test_a_bot_like_a_reference_bot(ladder: Ladder, name: str) -> None:
    said = rf"^{name} looks like careful, which is a reference bot's; choose another name with --na"
    with pytest.raises(RefusedSubmission, match=said):
        name_and_number(ladder, name)


def test_a_bot_like_another_owners(empty_ladder: Ladder) -> None:
    factories.add_version(empty_ladder, "ann-1", owner="ann")
    with pytest.raises(
        RefusedSubmission, match=r"^annl looks like ann-1, which is ann's; choose another"
    ):
        name_and_number(empty_ladder, "annl")
    assert name_and_number(empty_ladder, "annl", owner="ann") == ("annl", 1), (
        "one may confuse one's own"
    )
    assert name_and_number(empty_ladder, "ann-2") == ("ann-2", 1)


def test_bots_that_looked_alike_before(empty_ladder: Ladder) -> None:
    """Whoever has such a name goes on with it."""
    factories.add_version(empty_ladder, "ann-1", owner="ann")
    factories.add_version(empty_ladder, "annl", owner="eve")
    assert name_and_number(empty_ladder, "annl", owner="eve") == ("annl", 2)
    assert name_and_number(empty_ladder, "ann-1", owner="ann") == ("ann-1", 2)


def test_a_bot_that_is_submitted(ladder: Ladder, tmp_path: Path) -> None:
    fate, said = factories.submit_bot(ladder, factories.write_script(tmp_path), name="carefu1")
    assert (fate, said[-1].step) == ("refused", "name")
    assert "looks like careful" in said[-1].text


def test_owners_in_other_capitals_are_the_same(empty_ladder: Ladder) -> None:
    with Registry.open(empty_ladder.folder) as registry:
        first = issue_token(registry, "ann")
        second = issue_token(registry, "Ann")
        assert (find_owner(registry, first), find_owner(registry, second)) == (None, "ann")
        assert len(registry.token_owners()) == 1
        assert revoke_token(registry, "ANN")
        assert find_owner(registry, second) is None
        incoming = Intake(empty_ladder.folder).begin_upload(registry, "ANN", "ann.py")
        incoming.discard()
    assert incoming.submission.owner == "ann"


@pytest.mark.parametrize("name", ["ann-1", "anni", "a.n.n.l"])
def test_owners_that_look_like_others(empty_ladder: Ladder, name: str) -> None:
    factories.add_version(empty_ladder, "x", owner="annl")
    with Registry.open(empty_ladder.folder) as registry:
        if name == "a.n.n.l":
            registry.write("INSERT INTO owner (name, since) VALUES ('a.n.n.l', '2030')")
            assert find_owner(registry, issue_token(registry, name)) == name, "it was there before"
            return
        said = rf"^the owner's name {name} looks like annl, which another owner has; choose a name"
        with pytest.raises(BadSubmission, match=said):
            issue_token(registry, name)
        with pytest.raises(BadSubmission, match=said):
            Intake(empty_ladder.folder).begin_upload(registry, name, "ann.py")
        assert registry.token_owners() == []


def test_the_token_command_names_the_owner(empty_ladder: Ladder) -> None:
    assert invoke_arena("ladder", "token", empty_ladder.folder, "ann").exit_code == 0
    given = invoke_arena("ladder", "token", empty_ladder.folder, "ANN")
    assert "the token of ann;" in given.stderr
    refused = invoke_arena("ladder", "token", empty_ladder.folder, "a-n-n")
    assert refused.exit_code == 2
    assert "looks like ann" in refused.stderr
