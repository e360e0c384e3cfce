# SPDX-License-Identifier: Apache-2.0
"""The rows of a job's page: below the names of their logs, with the line of a moment marked.

The renderer writes the rows, see Wanted.label. Each begins with the address of its log. No text of a
log looks like that begin, since its "<" are escaped; the addresses of other links have quotes.
"""

import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from oslogserve.encodings import SUFFIXES
from oslogserve.jobs.lines import Slice
from oslogserve.jobs.walk import File
from oslogserve.templates import rendered, streamed

#: Rows are sent once they have so many bytes, or after so many seconds.
GATHERED = 256 * 1024
GATHERED_FOR = 0.05
#: The element of a moment's line.
ID = "moment"
#: Colours of logs in the style sheet.
COLOURS = 8
#: Endings that most logs have.
_ENDINGS = (*SUFFIXES, ".txt", ".log")

_ROW = re.compile(rb"<li[^>]*><a href=([^#]*)#L")
_ENDS = b"</ol>\n"


class Mark:
    """Marks the row of a moment's line."""

    def __init__(self, label: bytes, line: int) -> None:
        #: True once the row was there.
        self.is_shown = False
        self._heads = [b"<a href=%b#L%d%b" % (label, line, end) for end in (b" ", b">")]

    def marked(self, texts: Iterable[bytes]) -> Iterator[bytes]:
        """The rows. One of them gets an id, which is the fragment of links to it."""
        for text in texts:
            at = -1 if self.is_shown else max(map(text.find, self._heads))
            if at >= 0:
                self.is_shown = True
                behind = text.rindex(b"<li", 0, at) + len(b"<li")
                text = b"%b id=%b aria-current=true%b" % (text[:behind], ID.encode(), text[behind:])
            yield text


def by_time(texts: Iterable[bytes], files: dict[bytes, File]) -> Iterator[bytes]:
    """Rows of several logs: a list for each run of rows of one log, which begins with the log's name.

    files: the logs by their labels.
    """
    names = short_names([file.shown for file in files.values()])
    heads: dict[bytes, bytes] = {}
    current = None
    for text in texts:
        start = 0
        parts = []
        for row in _ROW.finditer(text):
            label = row[1]
            if label == current:
                continue
            parts.append(text[start : row.start()])
            if current is not None:
                parts.append(_ENDS)
            if label not in heads:
                name, colour = names[files[label].shown], len(heads) % COLOURS
                values = {"colour": colour, "address": label.decode(), "name": name}
                heads[label] = rendered("run.html", **values)
            parts.append(heads[label])
            start, current = row.start(), label
        yield b"".join([*parts, text[start:]])
    if current is not None:
        yield _ENDS


def by_log(
    slices: Iterable[Slice], heads: Sequence[tuple[str, str]], mark: Mark | None
) -> Iterator[bytes]:
    """Rows below the names of their logs. heads: the address and the name of each log."""
    for log, several in groupby(slices, key=lambda one: one.log or 0):
        texts: Iterable[bytes] = (one.text for one in several)
        address, name = heads[log]
        rows = mark.marked(texts) if mark else texts
        yield from streamed("rows.html", rows, address=address, name=name)


def gathered(texts: Iterable[bytes]) -> Iterator[bytes]:
    """Joins the texts, since each piece is sent and compressed by itself."""
    held: list[bytes] = []
    size = 0
    since = time.monotonic()
    for one in texts:
        held.append(one)
        size += len(one)
        if size >= GATHERED or time.monotonic() - since > GATHERED_FOR:
            yield b"".join(held)
            held, size, since = [], 0, time.monotonic()
    if held:
        yield b"".join(held)


def short_names(names: Sequence[str]) -> dict[str, str]:
    """The shortest name of each log that no other one has, by its name.

    That is its last segments, without the usual endings if it is unique without them.
    """
    of_each = {}
    for name in names:
        stem = name
        for ending in _ENDINGS:
            stem = stem.removesuffix(ending)
        if not stem or stem.endswith("/"):
            stem = name
        of_each[name] = [*_ends_of(stem), *_ends_of(name)]
    counts = Counter(short for several in of_each.values() for short in set(several))
    return {
        name: next((short for short in several if counts[short] == 1), name)
        for name, several in of_each.items()
    }


def _ends_of(name: str) -> list[str]:
    """The last segment, the last two, and so on."""
    segments = name.split("/")
    return ["/".join(segments[-count:]) for count in range(1, len(segments) + 1)]
