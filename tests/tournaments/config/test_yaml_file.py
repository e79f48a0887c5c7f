"""What is YAML and what is not."""

from pathlib import Path

import pytest

from arena.tournaments.config.yaml_file import BadTournament, parse_yaml, read_yaml_file

FILE = Path("friday.yaml")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it has to hold keys with values, such as 'deals: 12'"),
        ("just words", "it has to hold keys with values"),
        ("- a\n- b", "it has to hold keys with values"),
        ("bots: [x", "it is not YAML: line 1: expected ',' or ']'"),
        ("a: 1\n\tb: 2", "line 2: found character '\\t' that cannot start any token; use spaces"),
        ("a: !!python/object/apply:os.system [ls]", "it is not YAML: line 1: could not determine"),
        ("a: b\0c", "it is not YAML: unacceptable character"),
        ("[" * 1000, "it is not YAML"),
        ("deals: 1\nseats: 4\ndeals: 2", "line 3: the key 'deals' stands there a second time"),
        ("clock: {move: 1, move: 2}", "line 1: the key 'move' stands there a second time"),
        ("{[a]: 1}", "it is not YAML: line 1: found unhashable key"),
        ("a: !!int ''", "it is not YAML: string index out of range"),
        ("a: !!timestamp x", "it is not YAML"),
        (f"a: 1{':1' * 500}.5", "it is not YAML: int too large to convert to float"),
        (f"{{0{'7' * 900}: 1, 0{'7' * 900}: 2}}", "the key a very large number stands there a se"),
    ],
)
def test_invalid_yaml_is_rejected(text: str, said: str) -> None:
    with pytest.raises(BadTournament) as error:
        parse_yaml(FILE, text)
    assert str(error.value).startswith("friday.yaml: ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_anchors_and_merges_are_not_duplicate_keys() -> None:
    text = "a: &plain {move: 1}\nclock: {<<: *plain, move: 2}"
    assert parse_yaml(FILE, text)["clock"] == {"move": 2}


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(BadTournament, match=r"none\.yaml: No such file or directory$"):
        read_yaml_file(tmp_path / "none.yaml")
    with pytest.raises(BadTournament, match=r"Is a directory$"):
        read_yaml_file(tmp_path)
    (tmp_path / "x.yaml").write_bytes(b"name: \xff\xfe")
    with pytest.raises(BadTournament, match="it has to be text in UTF-8"):
        read_yaml_file(tmp_path / "x.yaml")
