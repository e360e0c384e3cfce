# SPDX-License-Identifier: Apache-2.0
"""Runs of lines to the bytes of a view: HTML elements, or the lines themselves."""

from collections.abc import Iterable, Iterator

from oslogserve.lines.filter import Run
from oslogserve.lines.formats import LINE, SEVERITIES, anchor_of

_END = b"\n</span>"


def escaped(text: bytes) -> bytes:
    """For text between tags and in attributes with double quotes."""
    return (
        text.replace(b"&", b"&amp;")
        .replace(b"<", b"&lt;")
        .replace(b">", b"&gt;")
        .replace(b'"', b"&quot;")
    )


def text(runs: Iterable[Run]) -> Iterator[bytes]:
    for _, lines in runs:
        yield lines


def html(runs: Iterable[Run]) -> Iterator[bytes]:
    """Each line an element: id `L<number>`, class its severity, `name` the time's anchor.

    A line without a severity of its own has that of the last line that had one, and the
    class `more`. `name`, not `id`, because many lines may share a time; the browser goes to
    the first of them.
    """
    inherited = SEVERITIES[0].encode()
    inside_line = False
    for number, lines in runs:
        if inside_line:
            end = lines.find(b"\n") + 1
            if not end:
                yield escaped(lines)
                continue
            yield escaped(lines[: end - 1]) + _END
            lines = lines[end:]
            number += 1
        inside_line = not lines.endswith(b"\n") if lines else False
        rows = []
        whole = lines + b"\n" if inside_line else lines
        found = zip(LINE.findall(whole), escaped(whole).split(b"\n"), strict=False)
        for counted, ((time, own), line) in enumerate(found, number):
            if own:
                inherited = own + b" more"
            kind = own or inherited
            if time:
                time, rest = line[: len(time)], line[len(time) :]
                anchor = anchor_of(time)
                rows.append(
                    b'<span id="L%d" class="%b"><a name="%b" href="#%b">%b</a>%b\n</span>'
                    % (counted, kind, anchor, anchor, time, rest)
                )
            else:
                rows.append(b'<span id="L%d" class="%b">%b\n</span>' % (counted, kind, line))
        marked_up = b"".join(rows)
        yield marked_up.removesuffix(_END) if inside_line else marked_up
    if inside_line:
        yield _END
