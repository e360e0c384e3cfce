# SPDX-License-Identifier: Apache-2.0
"""How much of a log is rendered at once, and what comes of a log that breaks off."""

import weakref

import pytest

from oslogserve.errors import Incomplete
from oslogserve.lines import renderer
from oslogserve.lines.renderer import Renderer, Room
from oslogserve.lines.selection import Selection, Wanted
from oslogserve.search import literal

MIB = 2**20
LINE = b"2013-09-27 18:22:11.248 1 INFO nova.compute [-] there\n"
SEARCH = Selection(searches=(literal("q"),))


class Core:
    """A core that notes the blocks that it is fed with."""

    done = False

    def __init__(self, *_):
        self.blocks = []

    def feed(self, block):
        self.blocks.append(block)
        return b""

    def finish(self):
        return b""

    def tally(self):
        return {}

    def totals(self):
        return None


@pytest.fixture
def blocks(monkeypatch):
    def blocks(pieces, wanted=Wanted("html"), room=Room()):  # noqa: B008
        core = Core()
        monkeypatch.setattr(renderer.native, "Renderer", lambda *_: core)
        assert [*Renderer()(pieces, wanted, room=room)] == []
        return core.blocks

    return blocks


def test_no_more_is_rendered_at_once_than_has_room_as_markup(blocks):
    sizes = {len(block) for block in blocks([b"x" * MIB, b"", b"y"])}
    assert sizes == {renderer.LARGEST_RENDERED, 1}


@pytest.mark.parametrize("selection", [Selection(), SEARCH])
@pytest.mark.parametrize(
    ("view", "lines", "most"),
    [("jsonl", None, renderer.MOST_LINES), ("text", None, MIB), ("text", 100, 100)],
)
def test_no_more_lines_are_rendered_at_once_than_have_room_as_json(
    blocks, view, lines, most, selection
):
    stored = b"\n" * MIB + b"x\n" * 100_000 + LINE * 10_000
    found = blocks([stored], Wanted(view, selection), Room(lines=lines))
    assert b"".join(found) == stored
    counts = [block.count(b"\n") for block in found]
    assert max(counts) <= most
    assert most < MIB or max(counts) > renderer.MOST_LINES


def test_searches_are_cut_smaller_while_they_are_slow(blocks, monkeypatch):
    now = iter(range(10**6))
    monkeypatch.setattr(renderer.time, "thread_time", lambda: next(now))
    sizes = [len(block) for block in blocks([b"x" * 100_000], Wanted("html", SEARCH))]
    assert sizes[:4] == [16384, 8192, 4096, 4096]
    assert sum(sizes) == 100_000


def test_searches_are_cut_larger_while_they_are_fast(blocks):
    found = blocks([b"x" * MIB], Wanted("text", SEARCH))
    assert [len(block) >> 10 for block in found][:5] == [16, 32, 64, 128, 256]


def failing(*pieces):
    yield from pieces
    raise Incomplete("timeout", "it stopped answering")


def outcome(rendering):
    text = b"".join(rendering)
    why = rendering.broke_off and rendering.broke_off.reason
    return text, rendering.tally.lines, rendering.complete_lines, why, rendering.is_read_to_end


@pytest.mark.parametrize(
    ("pieces", "selection", "expected"),
    [
        ([], Selection(), (b"", 0, 0, None, True)),
        ([b"a\nb"], Selection(), (b"a\nb", 2, 1, None, True)),
        ([b"a\n", b"b\n", b""], Selection(limit=1), (b"a\n", 1, 1, None, False)),
        (failing(b"a\n", b"b\nc"), Selection(tail=1), (b"c", 3, 2, "timeout", False)),
    ],
)
def test_the_end_tells_what_was_read(pieces, selection, expected):
    assert outcome(Renderer()(pieces, Wanted("text", selection))) == expected


def test_a_charge_ends_a_log_before_its_next_block():
    charges = iter([None, Incomplete("budget", "it is spent")])

    def charge():
        if error := next(charges):
            raise error

    rendering = Renderer()([b"a\n", b"b\n"], Wanted("text"), charge=charge)
    assert rendering.tally.lines == 0
    assert outcome(rendering) == (b"a\n", 1, 1, "budget", False)


@pytest.mark.parametrize("is_read_to_end", [True, False])
def test_what_a_rendering_held_is_given_back_while_its_outcome_is_kept(monkeypatch, is_read_to_end):
    """A tail can hold 16 MiB."""
    cores = weakref.WeakSet()

    class Counted(Core):
        def __init__(self, *_):
            super().__init__()
            cores.add(self)

        def feed(self, block):
            return block

    monkeypatch.setattr(renderer.native, "Renderer", Counted)
    rendering = Renderer()([b"a\n", b"b\n"], Wanted("text"))
    pieces = iter(rendering)
    assert next(pieces) == b"a\n"
    assert len(cores) == 1
    if is_read_to_end:
        assert [*pieces] == [b"b\n"]
    del pieces
    assert rendering.is_read_to_end is is_read_to_end
    assert len(cores) == 0
