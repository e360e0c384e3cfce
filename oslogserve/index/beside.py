# SPDX-License-Identifier: Apache-2.0
"""An index beside its log, which any server may read, and any job may have written.

It is a hidden file or object. It begins with the rules and the log that it belongs to; behind them is the
file of an index, see `log_index`.
"""

from collections.abc import Callable
from hashlib import sha256

from oslogserve.index.log_index import MOST_BYTES, MOST_JSON, IndexFile, LogIndex, compact_of
from oslogserve.lines.summary_check import check_summary
from oslogserve.logs.decode import FirstBytes
from oslogserve.sources import Stored

#: Identifies a file, with the version of its format.
_MAGIC = b"oslogserve-index-beside 1\n"
_PREFIX, _SUFFIX = b".", b".oslogserve-index"
#: Bytes of a log's beginning and of its end, which a file's index is bound to.
END = 64 * 1024
#: Bytes of the index of a small log, and of its JSON: one of a larger log may have an eighth of the log's
#: bytes more, and as many as the log. An honest one has a twentieth.
_LEAST, _LEAST_JSON = 256 * 1024, 1024 * 1024
#: The best ratio of deflate, rounded up; and of Zstandard, with 128 KiB of text in 4 bytes.
_BEST_RATIO, _BEST_OF_ZSTD = 1100, 32 * 1024
#: Bytes of a window as deflate: that of text that cannot be compressed.
_MOST_WINDOW = 33 * 1024


class Refused(Exception):
    """An index that does not count. reason: one of REASONS, a metric label."""

    #: It is damaged or no index; of other rules; of another version of the log; it cannot be true; the
    #: log has other text; the log's source does not send ranges.
    REASONS = ("damaged", "rules", "log", "members", "text", "ranges")

    def __init__(self, reason: str, sentence: str) -> None:
        if reason not in self.REASONS:
            raise ValueError(reason)
        super().__init__(sentence)
        self.reason = reason


def name_beside(path: bytes) -> bytes:
    """The path of the index beside the log at `path`."""
    folder, slash, name = path.rpartition(b"/")
    return folder + slash + _PREFIX + name + _SUFFIX


def is_beside(name: bytes) -> bool:
    """True for the name of such an index."""
    return name.startswith(_PREFIX) and name.endswith(_SUFFIX)


def identity(stored: Stored, ends: bytes = b"") -> str:
    """The identity of a log's version: it tells it from other logs and other versions.

    A copy of a log has the same time to the second, if it keeps that: years depend on it. ends: the first
    and the last bytes of a log whose version is of this machine alone.
    """
    version = sha256(ends).hexdigest() if ends else stored.version
    return f"{version} {stored.size} {stored.encoding or '-'} {int(stored.modified)}"


def head_of(rules: str) -> bytes:
    """The beginning of a file that has these rules. rules: the salt."""
    return b"".join((_MAGIC, rules.encode(), b"\n"))


def with_head(file: bytes, rules: str, log: str) -> bytes:
    """The file beside a log. file: of the index. rules: the salt. log: its identity."""
    return b"".join((head_of(rules), log.encode(), b"\n", file))


def most_bytes(stored: Stored) -> int:
    """Bytes of an index that are read."""
    return min(MOST_BYTES, _LEAST + (stored.size or 0) // 8)


def checked(
    content: bytes,
    rules: str,
    stored: Stored,
    log: Callable[[], str],
    first_bytes: Callable[[], FirstBytes],
) -> IndexFile:
    """The index in a file beside a log, all of which was checked. Raises Refused.

    content: the file, or the beginning of one that is too large or of other rules.
    log, first_bytes: its identity and its beginning, which cost some reading.
    """
    if not content.startswith(_MAGIC):
        raise Refused("damaged", "it is no index of this version")
    if len(content) > most_bytes(stored):
        raise Refused("damaged", "it is too large")
    found, *rest = content[len(_MAGIC) :].split(b"\n", 2)
    if found != rules.encode():
        raise Refused("rules", "it is of another version or of other formats")
    if len(rest) < 2 or rest[0] != log().encode():
        raise Refused("log", "it is of another version of the log")
    size = stored.size or 0
    try:
        file = IndexFile(rest[1], min(MOST_JSON, _LEAST_JSON + size))
        file.check_parts()
    except ValueError as error:
        raise Refused("damaged", str(error)) from None
    try:
        _check(file, size, first_bytes())
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise Refused("members", str(error)) from None
    return file


def _check(file: IndexFile, stored_size: int, first: FirstBytes) -> None:
    """Raises ValueError and the like for what cannot be true of a log."""
    if file.first_bytes() != first:
        raise ValueError("it is of a log that begins otherwise")
    is_packed = bool(first.packing)
    facts, index = file.facts(), file.index()
    ratio = _BEST_OF_ZSTD if first.packing == "zstd" else _BEST_RATIO
    most = stored_size * ratio if is_packed else stored_size
    least = 1 if is_packed else stored_size
    if not (0 < facts.lines <= facts.size and least <= facts.size <= most):
        raise ValueError("it is of a log of another size")
    check_summary(facts.summary, facts.lines)
    if file.compact().summary != compact_of(facts.summary):
        raise ValueError("it has two summaries")
    _check_points(index, stored_size)


def _check_points(index: LogIndex, stored_size: int) -> None:
    """Raises ValueError and the like."""
    at = stored = 0
    for point in index.points:
        is_later = at < _number(point["at"]) and stored < _number(point["stored"]) < stored_size
        is_whole = _number(point["bits"]) < 256 and _number(point["bit_count"]) < 8
        if not (is_later and is_whole) or len(point["window"]) > _MOST_WINDOW:
            raise ValueError
        at, stored = point["at"], point["stored"]


def _number(value: object) -> int:
    """The value if it is a number that can count something."""
    if type(value) is not int or not 0 <= value < 2**62:
        raise ValueError
    return value
