# SPDX-License-Identifier: Apache-2.0
"""Generated logs, of which every line's time and severity are known."""

import gzip
import json
import re
import zlib
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import zstandard

from tests.kit.packing import frame, frames

START = datetime(2026, 3, 4, 18, 22)
#: When all logs were last written to.
WRITTEN = datetime(2026, 3, 5, 6, 0, tzinfo=UTC).timestamp()
SEVERITIES = ("NONE", "DEBUG", "INFO", "AUDIT", "TRACE", "WARNING", "ERROR", "CRITICAL")
WORDS = (
    "needle",
    "Nova",
    "nova",
    "request",
    "<b>",
    "&amp;",
    "took",
    "x y",
    "one",
    "two",
    "é",
    "b-7",
)
#: A word that few blocks of an index have.
RARE = "zebra"
_SEEN = ("DEBUG", "INFO", "INFO", "INFO", "WARNING", "ERROR", "CRITICAL")
_KLOG = {"INFO": "I", "WARNING": "W", "ERROR": "E"}
_EPOCH = datetime(1970, 1, 1)


class Time(NamedTuple):
    """A time that a line shows."""

    #: As JSON has it.
    iso: str
    #: As the fragment of a link has it.
    fragment: str
    #: Microseconds since 1970 as the line shows it; None without a date.
    micros: int | None
    #: Minutes east of UTC; None without a zone.
    offset: int | None = None


class Missing(NamedTuple):
    """The fragment of a time that no line has."""

    fragment: str
    micros: int


class Line(NamedTuple):
    """A line of a log."""

    #: Without its line feed.
    content: bytes
    #: That the line itself shows.
    severity: str = "NONE"
    time: Time | None = None
    #: True if its form shows that it continues the line above.
    continues: bool = False
    #: True for a line at TRACE of a traceback: filters see it with the error above.
    is_of_error: bool = False


class Log(NamedTuple):
    """A log of a job."""

    #: Relative to the job's folder.
    name: bytes
    lines: list[Line]
    #: True if the last line has its line feed.
    has_end: bool
    #: What is stored.
    stored: bytes
    #: True if a part of the log is missing.
    is_damaged: bool = False

    @property
    def shown(self):
        return self.name.decode("utf-8", "replace")

    @property
    def text(self):
        return text_of(self.lines, self.has_end)


def missing_time(chance, lines):
    """A time between those of the lines; None where they do not come in the order of times without a zone.

    No two lines are equally near to it: their times have milliseconds.
    """
    times = [line.time for line in lines if line.time]
    micros = [time.micros for time in times]
    if (
        not times
        or None in micros
        or micros != sorted(micros)
        or any(time.offset for time in times)
    ):
        return None
    moment = (
        chance.choice(micros)
        + chance.choice((-1, 1)) * chance.randrange(1, 10**9) // 1000 * 1000
        + 137
    )
    return Missing(
        (_EPOCH + timedelta(microseconds=moment)).strftime("_%Y-%m-%d_%H_%M_%S_%f"), moment
    )


def text_of(lines, has_end=True):
    text = b"\n".join(line.content for line in lines)
    return text + b"\n" if lines and has_end else text


def _time(text, moment, offset=None, digits=3, zone=""):
    fraction = f".{moment.microsecond:06}"[: digits + 1] if digits else ""
    shown = moment.replace(microsecond=int((fraction[1:] or "0").ljust(6, "0")))
    iso = moment.strftime("%Y-%m-%dT%H:%M:%S") + fraction + zone
    micros = (shown - _EPOCH) // timedelta(microseconds=1)
    return Time(iso, _fragment(text), micros, offset)


def _fragment(text):
    return "_" + re.sub(r"[\s:.,]", "_", text)


def _openstack(moment, level, message):
    text = moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]
    return f"{text} 2790 {level} nova.compute [-] {message}", level, _time(text, moment)


def _python(moment, level, message):
    text = moment.strftime("%Y-%m-%d %H:%M:%S,%f")[:-3]
    return f"{text} - worker - {level} - {message}", level, _time(text, moment)


def _utc(moment, level, message):
    text = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    return f"{text} {level} {message}", level, _time(text, moment, 0, 0, "Z")


def _ahead(moment, level, message):
    moment += timedelta(hours=2)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S.%f+02:00")
    return f"{text} {level} {message}", level, _time(text, moment, 120, 6, "+02:00")


def _brackets(moment, level, message):
    text = moment.strftime("%Y-%m-%d %H:%M:%S")
    return f"[{text}] [{level}] {message}", level, _time(text, moment, digits=0)


def _syslog(moment, level, message):
    text = f"{moment:%b} {moment.day:2} {moment:%H:%M:%S}"
    return f"{text} node nova[17]: {level} {message}", level, _time(text, moment, digits=0)


def _klog(moment, level, message):
    level = level if level in _KLOG else "INFO"
    text = f"{moment:%m%d %H:%M:%S.%f}"
    return f"{_KLOG[level]}{text}    1 main.go:12] {message}", level, _time(text, moment, digits=6)


def _clock(moment, level, message):
    text = moment.strftime("%H:%M:%S")
    return f"{text} {level} {message}", level, Time(text, _fragment(text), None)


def _json(moment, level, message):
    text = moment.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"
    content = json.dumps({"time": text, "level": level.lower(), "msg": message}, ensure_ascii=False)
    return content, level, _time(text, moment, 0, 3, "Z")


def _silent(moment, level, message):
    return (
        (f"{level}: {message}" if level == "ERROR" else message),
        "ERROR" * (level == "ERROR"),
        None,
    )


LAYOUTS = (
    _openstack,
    _openstack,
    _python,
    _utc,
    _ahead,
    _brackets,
    _syslog,
    _klog,
    _clock,
    _json,
    _silent,
)


def _message(chance):
    words = chance.choices(WORDS, k=chance.randrange(1, 8))
    return " ".join([*words, RARE] if chance.random() < 0.02 else words)


def _uptime(chance):
    text = f"{chance.randrange(10, 99)}.{chance.randrange(10**6):06}"
    content = f"[   {text}] usb 1-1: {_message(chance)}"
    return Line(content.encode(), "NONE", Time(text, _fragment(text), None))


def _line(chance, layout, moment):
    kind = chance.random()
    if kind < 0.12:
        return Line(f"{chance.choice(('  ', chr(9)))}{_message(chance)}".encode(), continues=True)
    if kind < 0.2:
        return Line(f"plain {_message(chance)}".encode())
    if kind < 0.23:
        return Line(b"Traceback (most recent call last):", "ERROR")
    if kind < 0.25:
        return Line(b"")
    if kind < 0.27:
        return _uptime(chance)
    content, level, time = layout(moment, chance.choice(_SEEN), _message(chance))
    content = content.encode()
    if chance.random() < 0.05:
        content += b" \xff\xfe"
    if chance.random() < 0.05:
        content += b" \x1b[1;31mred\x1b[0m"
    return Line(content, level or "NONE", time)


def _traceback(chance, moment):
    """As older services of OpenStack write it: lines at TRACE, of the program and time of the error."""
    for _ in range(chance.choice((0, 0, 1, 3))):
        content, _, time = _openstack(moment, "TRACE", _message(chance))
        yield Line(content.encode(), "TRACE", time, is_of_error=True)


def lines_of(chance):
    """The lines of a log, most often of one layout."""
    layouts = chance.choices(LAYOUTS, k=chance.choice((1, 1, 1, 2)))
    moment = START + timedelta(milliseconds=chance.randrange(20_000))
    steps = chance.choice(((0, 1, 10, 900), (900, 4000, 60_000), (10, 900, -2000)))
    lines = []
    for _ in range(chance.choice((0, 1, 2, 9, 40, 120, 300, chance.randrange(400)))):
        moment += timedelta(milliseconds=chance.choice(steps))
        layout = chance.choice(layouts)
        lines.append(_line(chance, layout, moment))
        if layout is _openstack and lines[-1].severity in ("ERROR", "CRITICAL") and lines[-1].time:
            lines += _traceback(chance, moment)
    if chance.random() < 0.1:
        lines = [line._replace(content=line.content + b"\r") for line in lines]
    return lines


#: The whole of it is text, and a part of it is missing nevertheless.
def _cut_short(lines, chance):
    """A gzip that ends within the log: up to there all of its lines are readable."""
    packer = zlib.compressobj(wbits=31)
    kept = lines[: chance.randrange(len(lines) + 1)]
    packed = packer.compress(text_of(kept)) + packer.flush(zlib.Z_SYNC_FLUSH)
    return kept, True, packed + chance.choice((b"", b"\xff" * 20))


def _stored_damaged(lines, chance):
    """Lines that can be read, whether the last has its line feed, and what is stored."""
    packed = gzip.compress(text_of(lines), mtime=chance.randrange(2**31))
    match chance.randrange(6):
        case 0:
            return [], True, bytes([packed[0] ^ chance.randrange(1, 256)]) + packed[1:]
        case 1:
            return [], True, packed[: chance.randrange(2)]
        case 2:
            return lines, True, packed[: -chance.randrange(1, 8)]
        case 3:
            return lines, True, packed + b"no gzip"
    return _cut_short(lines, chance)


def _zstd_damaged(lines, chance):
    """As _stored_damaged."""
    packed = frame(text_of(lines))
    match chance.randrange(5):
        case 0:
            return [], True, packed[: chance.randrange(2)]
        case 1:
            return lines, True, packed[: -chance.randrange(1, 4)]
        case 2:
            return lines, True, packed + b"no frame"
    packer = zstandard.ZstdCompressor().compressobj()
    kept = lines[: chance.randrange(len(lines) + 1)]
    packed = packer.compress(text_of(kept)) + packer.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return kept, True, packed + chance.choice((b"", b"\xff" * 20 if packed else b""))


def _zstd_whole(text, chance):
    match chance.randrange(4):
        case 0:
            return frames(text, 1 + chance.randrange(len(text) + 1)) or frame(b"")
        case 1:
            return frame(text) + b"\0" * 300
    return frame(text)


def _stored_whole(text, chance):
    match chance.randrange(4):
        case 0:
            middle = chance.randrange(len(text) + 1)
            return gzip.compress(text[:middle]) + gzip.compress(text[middle:])
        case 1:
            return gzip.compress(text) + b"\0" * 300
    return gzip.compress(text)


def log_of(chance, name):
    """A log, some of them compressed, some damaged."""
    lines, has_end = lines_of(chance), chance.random() < 0.8
    is_zstd = name.endswith(b".zst")
    if not is_zstd and not name.endswith(b".gz"):
        log = Log(name, lines, has_end, b"")
        return _without_empty_end(log._replace(stored=log.text))
    if chance.random() < 0.35:
        lines, has_end, stored = (_zstd_damaged if is_zstd else _stored_damaged)(lines, chance)
        return Log(name, lines, has_end, stored, is_damaged=True)
    log = _without_empty_end(Log(name, lines, has_end, b""))
    return log._replace(stored=(_zstd_whole if is_zstd else _stored_whole)(log.text, chance))


def _without_empty_end(log):
    """Without a last line that has neither a character nor a line feed: there is none."""
    if log.lines and not log.has_end and not log.lines[-1].content:
        return log._replace(lines=log.lines[:-1], has_end=True)
    return log
