# SPDX-License-Identifier: Apache-2.0
"""Rows at fault in the tables of the grammar, which the native core refuses by file and line."""

import re

import pytest

from oslogserve.native import Grammar
from tests.reference.grammar import FOLDER, PIECES, expanded, table

UNCLOSED = "an opening parenthesis is never closed"
#: A row that is in each file, as it begins there.
ROWS = {
    "severities.toml": "    ['CRITICAL', 'FTL'],\n",
    "times.toml": "    '%y%m%d %H%M%S',\n",
    "tokens.toml": "    ['stl', 'again', 'PHP '],\n",
    "exceptions.toml": "    'WARNINGS!{end}',\n",
    "marks.toml": "    ['apt*', 'E: [A-Z]'],\n",
    "chapters.toml": "    { level = 4, tool = 'ansible', event = 'says', outcome = 'failed', line = 'ERROR$' },\n",
    "causes.toml": "    ['github', '\\[command\\]'],\n",
}


def fault_of(name, text):
    with pytest.raises(ValueError, match=r"^core/grammar/") as caught:
        Grammar([], {name: text})
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "row", "told"),
    [
        ("severities.toml", "    ['LOUD', 'FTL'],\n", "there is no severity LOUD"),
        (
            "severities.toml",
            "    ['CRITICAL', 'UNHEARDOFSEVERITY'],\n",
            "UNHEARDOFSEVERITY has more than 16 letters",
        ),
        ("times.toml", "    '%Y(',\n", UNCLOSED),
        ("times.toml", "    '%Y-%Q',\n", "there is no directive %Q"),
        ("tokens.toml", "    ['s', 'word', 'a('],\n", UNCLOSED),
        ("tokens.toml", "    ['s', 'verb', 'x'],\n", "unknown variant `verb`"),
        ("tokens.toml", "    ['s!', 'word', 'x'],\n", "there is no position !"),
        ("tokens.toml", "    ['{here}', 'word', 'x'],\n", "there is no piece {here}"),
        ("tokens.toml", "    ['s', 'word', '{there}'],\n", "there is no piece {there}"),
        ("exceptions.toml", "    'a(',\n", UNCLOSED),
        ("exceptions.toml", "    'é',\n", r"it holds a byte outside ASCII: write \xNN"),
        ("marks.toml", "    ['a', 'a('],\n", UNCLOSED),
        ("marks.toml", "    ['a', '.a('],\n", UNCLOSED),
        ("marks.toml", "    ['a'],\n", "invalid length 1"),
        ("marks.toml", "    ['a', 'a', { quotes = 'a(' }],\n", UNCLOSED),
        ("marks.toml", "    ['a', 'a', { name = { belaw = 'a' } }],\n", "unknown variant `belaw`"),
        ("marks.toml", "    ['a', 'a', { nest = true }],\n", "unknown field `nest`"),
        ("chapters.toml", "    { level = 1, lime = 'a' },\n", "unknown field `lime`"),
        (
            "chapters.toml",
            "    { level = 1, tool = 'a', event = 'ends', line = 'a(' },\n",
            UNCLOSED,
        ),
        (
            "chapters.toml",
            "    { level = 1, tool = 'a', event = 'stops', line = 'a' },\n",
            "unknown variant `stops`",
        ),
        (
            "chapters.toml",
            "    { level = 1, tool = 'a', event = 'ends', outcome = 'lost', line = 'a' },\n",
            "unknown variant `lost`",
        ),
        ("causes.toml", "    ['a', 'a('],\n", UNCLOSED),
        ("causes.toml", "    ['a', '.a('],\n", UNCLOSED),
        ("causes.toml", "    ['a' 'a'],\n", "missing comma between array elements"),
    ],
)
def test_a_row_at_fault_is_named_by_file_and_line(name, row, told):
    text = (FOLDER / name).read_text()
    above, found, below = text.partition(ROWS[name])
    assert found
    fault = fault_of(name, above + row + below)
    assert fault.startswith(f"core/grammar/{name}:{above.count(chr(10)) + 1}: {told}")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        *(("times.toml", key) for key in ("uptime", "audit", "no_clock", "thing", "dated_thing")),
        *(("exceptions.toml", key) for key in ("location", "progress", "continuation")),
        ("chapters.toml", "seconds"),
        *(
            ("causes.toml", key)
            for key in ("behind_time", "frame", "stack_frame", "recap", "words", "passing")
        ),
    ],
)
def test_a_pattern_at_fault_is_named_by_file_and_line(name, key):
    text = (FOLDER / name).read_text()
    text = re.sub(rf"(?m)^{key} = ('''(?s:.*?)'''|.*)", f"{key} = 'a('", text)
    line = text[: text.index(f"\n{key} = ")].count("\n") + 2
    assert fault_of(name, text) == f"core/grammar/{name}:{line}: {UNCLOSED}"


def test_what_is_looked_for_as_text_is_a_list_of_texts():
    text = (
        (FOLDER / "exceptions.toml")
        .read_text()
        .replace("location_words = '", "location_words = 'x*")
    )
    assert fault_of("exceptions.toml", text).endswith(": it is no list of literals")


def test_pieces_in_a_circle_are_refused():
    text = (FOLDER / "exceptions.toml").read_text().replace("clock = '", "clock = '{request}")
    assert fault_of("exceptions.toml", text).endswith(": its pieces are in a circle")


@pytest.mark.parametrize("name", ["TRACE", "WARNING", "ERROR", "CRITICAL"])
def test_severities_that_the_core_knows_have_to_be_there(name):
    text = (FOLDER / "severities.toml").read_text().replace(f"'{name}'", f"'{name}S'")
    with pytest.raises(ValueError, match=rf"there is no severity {name}$"):
        Grammar([], {"severities.toml": text})


def test_a_user_format_is_named():
    with pytest.raises(ValueError, match=r"^format site: it takes a regular expression \(an open"):
        Grammar([("site", "a(", {})])


def test_guards_are_where_the_core_can_take_them_for_a_part_of_the_pattern():
    tokens = table("tokens.toml")
    for _, _, row in tokens["tokens"]:
        pattern = expanded(row, tokens["pieces"] | PIECES | {"end": ""})
        assert set(re.findall(r"\(\?[=!<]", pattern)) <= {"(?="}
        assert all("(?=" not in end.partition(")")[2] for end in pattern.split("(?=")[1:])
