# SPDX-License-Identifier: Apache-2.0
"""The words and ids of a log's blocks: a search passes over blocks without them, and over no others."""

import random
import re
import struct
import uuid
from collections import deque
from contextlib import suppress

import pytest

from oslogserve.lines.renderer import Renderer, Room
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.logs.blocks import Blocks
from oslogserve.logs.budget import Budget
from oslogserve.logs.decode import PIECE, FirstBytes
from oslogserve.logs.indexes import Indexes, LogIndex
from oslogserve.metrics import Metrics
from oslogserve.native import LIMITS, state_count
from oslogserve.search import literal, rewritten
from oslogserve.sources import Stored
from tests.kit.mutated import cuts
from tests.kit.open_logs import FakeLog
from tests.kit.renderers import cut

RENDER, ROOM, METRICS = Renderer(), Room(), Metrics()
WORDS = (
    b"volume attached Detached nova_compute FAILED kernel Kelvin SSL session stack deadbeef facade"
    b" _private __init__ HTTPServer traceback tick mask a bb ccc x" + b"y" * 70
).split()
OTHERS = *b" |=|-|7|0f|.|/|\x7f|\xe9".split(b"|"), "\u017f".encode(), "\u212a".encode()


class Log(Indexes):
    """A log in memory, and its index, by which it is read."""

    keeps = True

    def __init__(self, text, interval=200, places=()):
        """places: where it is cut, beside regular ones."""
        super().__init__("", METRICS)
        self.index = None
        self._text = text
        blocks = self._blocks()
        blocks.interval = interval
        pieces = cut(text, {*range(interval // 4, len(text), interval // 4), *places})
        RENDER(pieces, Wanted("summary"), blocks).summary()
        for place in range(len(self.index.blocks)):
            deque(blocks.read(place, is_collected=True), 0)

    def _blocks(self):
        self.was_read = []
        stored, budget = Stored("disk", len(self._text), 0.0, "1"), Budget()
        first = FirstBytes("", b"")
        return Blocks(stored, first, self._opened, budget, self, PIECE, self.index)

    def _opened(self, place):
        self.was_read.append(place)
        text = self._text[slice(*place)]
        return FakeLog("disk", cut(text, range(7, len(text), max(37, len(text) // 100))))

    def keep(self, _, content, path=b""):
        self.index = LogIndex(content)

    def refuse(self, _, __, why):
        raise ValueError(why)

    def be_with(self, words, ids=b""):
        """Gives its index other words and ids."""
        self.index = LogIndex(self.index.with_contents(words, ids))

    @property
    def texts(self):
        """The text of each block."""
        return [self._text[at : at + size] for at, size, _ in self.index.blocks]

    def hits(self, *searches, room=ROOM, **selection):
        """The lines that are found, by the index."""
        wanted = Wanted("text", Selection(searches=searches, **selection))
        return b"".join(RENDER([self._text], wanted, self._blocks(), room))

    def hits_without(self, *searches, **selection):
        wanted = Wanted("text", Selection(searches=searches, **selection))
        return b"".join(RENDER([self._text], wanted))


def line_of(chance):
    parts = []
    for _ in range(chance.randrange(1, 9)):
        word = chance.choice(WORDS)
        if chance.random() < 0.2:
            word = chance.choice((bytes.upper, bytes.lower, bytes.title))(word)
        if chance.random() < 0.1:
            word = random_id(chance)
        parts += [word, chance.choice(OTHERS)]
    return b"".join(parts)


def random_id(chance):
    one = uuid.UUID(int=chance.getrandbits(128), version=4)
    return chance.choice((str(one), one.hex, one.hex * 2, str(one).upper())).encode()


def log_of(chance):
    lines = [line_of(chance) for _ in range(chance.randrange(5, 60))]
    text = b"\n".join(lines) + b"\n"
    return Log(text, chance.choice((100, 300, 1000)), cuts(chance, len(text)))


def some_of(chance, text):
    """A part of the text, cut anywhere."""
    start = chance.randrange(len(text))
    part = text[start : start + chance.choice((3, 5, 12, 40))]
    return part.split(b"\n")[0].decode(errors="ignore")


def pattern_of(chance, text):
    """A pattern that some part of the text may match."""
    one, other = (re.escape(some_of(chance, text)) for _ in range(2))
    letters = "[Kk][tT][Ss]"
    return chance.choice(
        (
            *(one, f"(?i){one}", f"^{one}", f"{one}$", rf"\b{one}", rf"{one}\b", rf"\B{one}"),
            *(f"{one}.*{other}", f"{one}|{other}", f"({one})?{other}", f"({one})+"),
            *(f"({one}){{2}}", rf"{one}\s+", rf"\w+{one}", rf"{one}[^a]*"),
            *(f"{letters}?{one}", f"(?i:{one})x?{other}"),
            *(rf"\d*{one}", rf"[-=]{one}", f"{one}[ .]", f"(?U){one}+?", f"{one}{{0}}{other}"),
        )
    )


def search_of(chance, text):
    if chance.random() < 0.5:
        return literal(some_of(chance, text) or "x")
    try:
        state_count(pattern := rewritten(pattern_of(chance, text)))
    except ValueError:
        return literal("x")
    return pattern


@pytest.mark.parametrize("seed", range(60))
def test_no_line_is_missed_that_holds_what_is_searched_for(seed):
    chance = random.Random(seed)
    log = log_of(chance)
    text = b"".join(log.texts)
    for _ in range(50):
        searches = [search_of(chance, text) for _ in range(chance.choice((1, 1, 1, 2)))]
        without = [search_of(chance, text)] if chance.random() < 0.2 else []
        selection = {"without": tuple(without), "context": chance.choice((0, 0, 2))}
        expected = log.hits_without(*searches, **selection)
        assert log.hits(*searches, **selection) == expected, (searches, selection)


def log_with(rare, blocks=40, place=17, common=b"INFO the usual request took 12 ms"):
    """A log of many blocks, one of which has a line that no other one has."""
    lines = [common] * (10 * blocks)
    lines[10 * place] = rare
    return Log(b"\n".join(lines) + b"\n", 10 * len(common))


@pytest.mark.parametrize(
    ("rare", "search"),
    [
        (b"a kernel Panic", literal("panic")),
        (b"a kernel Panic", literal("Panic")),
        (b"a kernel Panic", literal("erne")),
        (b"a kernel Panic", literal("a kernel")),
        (b"in test_boot_volume", literal("test_boot")),
        (b"tasks are stuck", rewritten("(?i)TASKS? .*stuck$")),
        (b"tasks are stuck", rewritten("(?:are)+ st[uU]ck")),
        (b"code=7 stopped", rewritten(r"code=\d+ stop(ped|s)")),
        (b"use the user", rewritten(r"\buser\b")),
        (b"req-" + str(uuid.UUID(int=77)).encode(), literal(str(uuid.UUID(int=77)))),
    ],
)
def test_a_search_reads_only_blocks_that_may_hold_its_words(rare, search):
    log = log_with(rare)
    assert rare in log.hits(search)
    assert len(log.was_read) <= 2


def test_a_part_of_an_id_of_32_bytes_is_enough():
    chance = random.Random(5)
    ids = [str(uuid.UUID(int=chance.getrandbits(128))) for _ in range(600)]
    log = Log(b"".join(b"got %s there\n" % one.encode() for one in ids), 1000)
    read = 0
    for one in ids:
        start = chance.randrange(5)
        assert one.encode() in log.hits(literal(one[start : start + 32]))
        read += len(log.was_read)
    assert read < 2.5 * len(ids)
    assert log.hits(literal(str(uuid.UUID(int=9)))) == b""


def test_of_several_searches_each_one_counts():
    log = log_with(b"a kernel panic, the usual")
    assert log.hits(literal("usual"), literal("panic"))
    assert len(log.was_read) <= 2


def test_what_is_not_to_be_found_says_nothing():
    log = log_with(b"a kernel panic")
    found = log.hits(literal("kernel"), without=(literal("absent"),))
    assert found == b"a kernel panic\n"


def test_no_block_is_read_for_a_word_that_no_line_has():
    log = log_with(b"a kernel panic")
    assert log.hits(literal("absent")) == b""
    assert log.was_read == []


@pytest.mark.parametrize(
    ("rare", "found"), [("a \u212aernel".encode(), "kernel"), ("gue\u017fts".encode(), "guests")]
)
def test_letters_of_unicode_that_are_like_those_of_ascii_are_found(rare, found):
    log = log_with(rare)
    assert log.hits(literal(found)) == rare + b"\n"
    assert len(log.was_read) <= 2


@pytest.mark.parametrize("long", [b"x" * 64, b"x" * 10_000, b"g" * 200])
def test_a_block_with_a_word_that_is_too_long_may_hold_any(long):
    log = log_with(b"in " + long)
    assert log.hits(literal(long[:99].decode()))
    assert len(log.was_read) <= 2


def test_a_line_that_is_searched_only_in_part_may_end_within_a_word():
    longest = LIMITS["head.REACH"]
    log = log_with(b"- " * (longest // 2 - 3) + b"kernelpanic")
    room = Room(line=longest)
    for pattern in ("kernel$", r"kernel\b"):
        assert log.hits(rewritten(pattern), room=room).endswith(b"kernelpanic\n")


def test_a_rule_of_underscores_is_no_long_word():
    log = log_with(b"_" * 80)
    assert log.hits(literal("absent")) == b""
    assert log.was_read == []


def test_words_beyond_the_limit_are_found_all_the_same():
    chance = random.Random(1)
    letters = "ghijklmnopqrstuvwxyz"
    words = [("".join(chance.choices(letters, k=9))).encode() for _ in range(70_000)]
    log = Log(b"".join(word + b"\n" for word in words), 10_000)
    for word in (words[0], words[30_000], words[-1]):
        assert log.hits(literal(word.decode())) == word + b"\n"
    log.hits(literal(words[100].decode()))
    assert len(log.was_read) < len(log.texts) / 5


def test_a_block_of_ids_alone_has_no_filter_of_them():
    chance = random.Random(1)
    ids = [random_id(chance) for _ in range(20_000)]
    log = Log(b"".join(one + b"\n" for one in ids), 100_000)
    assert len(log.index.contents[1]) == 4 * len(log.texts)
    assert log.hits(literal(ids[7_000].decode())) == ids[7_000] + b"\n"


def mutated(chance, file):
    kind = chance.randrange(3)
    at = chance.randrange(len(file))
    if kind == 0:
        return file[:at]
    if kind == 1:
        return file[:at] + chance.randbytes(4) + file[at + 4 :]
    return file + chance.randbytes(3)


def test_wrong_words_are_refused_or_give_no_wrong_line():
    chance = random.Random(3)
    log = log_of(chance)
    words, ids = log.index.contents
    text = b"".join(log.texts)
    lines = text.split(b"\n")
    for _ in range(500):
        others = words if chance.random() < 0.5 else mutated(chance, words)
        log.be_with(others, mutated(chance, ids))
        with suppress(ValueError):
            hits = log.hits(literal(some_of(chance, text) or "x"))
            assert set(hits.split(b"\n")) <= set(lines)


@pytest.mark.parametrize(
    "words",
    [
        b"",
        struct.pack("<II", 2**32 - 1, 1) + b"\n",
        struct.pack("<II", 1, 2**32 - 1) + b"\0\n",
        struct.pack("<II", 1, 4) + b"\0abc\n",
        struct.pack("<II", 1, 5) + b"\0\nabc\n",
    ],
)
def test_hostile_sizes_are_refused(words):
    log = log_with(b"a kernel panic")
    log.be_with(words)
    with pytest.raises(ValueError, match=r"vocabulary|word"):
        log.hits(literal("kernel"))
