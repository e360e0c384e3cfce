# SPDX-License-Identifier: Apache-2.0
"""The native core's functions, called with hostile bytes: what must hold, and their cost."""

import errno
import os
import random
import tempfile
import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from oslogserve.lines.selection import PageLimits, Wanted
from oslogserve.sources.disk import open_beneath
from tests.fuzz import grammar
from tests.fuzz.fuzzer import Fuzzer
from tests.kit.mutated import LINES, TOKENS, cuts, mutated
from tests.kit.renderers import VIEWS, answered, cut, renderer

#: Bytes of a log that repeats a piece of a line, for what it costs.
LARGE = 256 * 1024
#: Processor time of that, in seconds: a thousand times what a usual line takes, and a thousandth of
#: what work that grows with the square would.
MOST_SECONDS = 3
#: When a file was last written: its owner sets that as he likes.
_WRITTEN = (0, 1_400_000_000, -1, 2**31, 2**33, 253_402_300_800, 2**40, -(2**40), -(2**62), 2**62)
_TIMES = (
    *(b"2013-09-27 18:22:11.248", b"Sep 27 18:22:11", b"0927 18:22:11.248123", b"[  123.456789]"),
    *(b"27/Sep/2013:18:22:11 +0200", b"2013-09-27T18:22:11Z", b"1380306131.248", b"18:22:11"),
    *(b"Fri Sep 27 18:22:11 2013", b"2013-09-27T18:22:11,248-03:30", b"Feb 29 23:59:60", b"9" * 30),
)
#: What Linux takes in one call.
_LONGEST_PATH = 4096
_PATHS = (b"a.txt", b"sub/a.txt", b"sub", b"", b"link", b"up/../a.txt", b"fifo", b"none", b"climb")
_PATH_TOKENS = (b"/", b"..", b"../", b"./", b"\0", b"\xff", b"//", b"a" * 300, b"sub/" * 2000)


@dataclass(frozen=True)
class Case:
    #: Of Core's methods: _time, _cost, _log or _opening.
    kind: str
    text: bytes
    cuts: tuple[int, ...] = ()
    written: int = 0
    wanted: Wanted | None = None


class Core(Fuzzer):
    name = "core"
    shortens = "text", "cuts"
    imports = (
        "from oslogserve.lines.selection import PageLimits, Selection, Wanted\n"
        "from oslogserve.lines.time_range import TimeRange\n"
        "from tests.fuzz.core import Case, Core\n"
    )

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(prefix="oslogserve-fuzz-")
        self._root = _tree(Path(self._folder.name))
        return self

    def __exit__(self, *exc_info):
        self._folder.cleanup()

    def case_of(self, number):
        chance = random.Random(number)
        kind = chance.choice(("time", "time", "log", "log", "log", "opening", "cost"))
        written = chance.choice(_WRITTEN)
        match kind:
            case "opening":
                path = chance.choice(_PATHS)
                return Case(kind, mutated(path, chance, _PATH_TOKENS) if written else path)
            case "time":
                return Case(kind, _mostly_mutated(chance.choice(_TIMES), chance), (), written)
            case "cost":
                return Case(kind, _bytes(chance)[: chance.choice((3, 10, 100, 10**6))])
        text = _bytes(chance)
        wanted = Wanted(
            view=chance.choice(VIEWS),
            selection=grammar.selection(chance),
            written=written,
            page=chance.choice((None, PageLimits(chance.randrange(10**4), chance.randrange(100)))),
        )
        return Case(kind, text, cuts(chance, len(text)), written, wanted)

    def fault(self, case):
        return getattr(self, f"_{case.kind}")(case)

    def _time(self, case):
        """It is a date and time that there is, or the text itself."""
        iso = renderer().iso(case.text, case.written)
        if iso is not None and iso.encode() != case.text:
            datetime.fromisoformat(iso[:19])
        return ""

    def _log(self, case):
        """It is the same however it is cut."""
        native = renderer()
        pieces = cut(case.text, (at for at in case.cuts if at <= len(case.text)))
        found, counted = answered(native, pieces, case.wanted)
        expected, tally = answered(native, [case.text], case.wanted)
        counted = replace(counted, bytes=tally.bytes)
        return _differing((expected, tally), (found, counted))

    def _cost(self, case):
        """It grows with the log, not with its square."""
        native = renderer()
        log = (case.text or b"x") * (LARGE // max(len(case.text), 1))
        for view in VIEWS:
            started = time.thread_time()
            for _ in native([log], Wanted(view)):
                pass
            seconds = time.thread_time() - started
            if seconds > MOST_SECONDS:
                return f"{seconds:.1f} s for {len(log)} bytes as {view}"
        return ""

    def _opening(self, case):
        """The native one finds what the one by folders does, and nothing outside."""
        for follows_links in (True, False):
            by_folder, native = (
                _opened(opening, self._root, case.text, follows_links) for opening in _OPENINGS
            )
            if b"outside" in str(native).encode():
                return f"it is outside: {native}"
            # A query's path has none of these.
            segments = case.text.split(b"/")
            is_legitimate = not {b"..", b".", b""} & set(segments) and b"\0" not in case.text
            is_legitimate = is_legitimate and len(case.text) < _LONGEST_PATH
            if is_legitimate and (difference := _differing(by_folder, native)):
                return difference
        return ""


#: Either finds another fault of such a path first.
_MISSES = (errno.ENOTDIR, errno.ENAMETOOLONG)
_OPENINGS = (open_beneath.open_by_folder, open_beneath.open_beneath)


def _differing(by_folder, native):
    return "" if by_folder == native else f"by folder: {by_folder}\nnative: {native}"


def _mostly_mutated(text, chance):
    return mutated(text, chance, TOKENS) if chance.random() < 0.9 else text


def _bytes(chance):
    """Bytes of any kind, most often some of a log."""
    match chance.randrange(4):
        case 0:
            return chance.randbytes(chance.randrange(300))
        case 1:
            return _mostly_mutated(b"", chance) * chance.randrange(1, 20)
    return _mostly_mutated(b"\n".join(chance.choices(LINES, k=chance.randrange(1, 4))), chance)


def _tree(folder):
    root = folder / "logs"
    (root / "sub").mkdir(parents=True)
    (folder / "outside.txt").write_bytes(b"outside\n")
    (root / "a.txt").write_bytes(b"a line\n")
    (root / "sub/a.txt").write_bytes(b"a line\n" * 40)
    (root / "link").symlink_to("sub/a.txt")
    (root / "climb").symlink_to("../outside.txt")
    (root / "up").symlink_to("sub")
    os.mkfifo(root / "fifo")
    return os.fsencode(root)


def _opened(opening, root, path, follows_links):
    """What was opened, or the number of the error."""
    try:
        found = opening(root, path, 4096, follows_links)
    except OSError as error:
        return errno.ENOENT if error.errno in _MISSES else error.errno
    except ValueError:  # Python's word for a NUL
        return errno.EINVAL
    found.close()
    return found._replace(descriptor=found.descriptor is not None)
