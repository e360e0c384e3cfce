# SPDX-License-Identifier: Apache-2.0
"""Secrets that are replaced in logs before they are uploaded, and how often each was found.

Errors, counts and messages name a value by its line in the file, and never show it.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from threading import Lock

from oslogserve.config import Config, ConfigError
from oslogserve.native import LIMITS, Masking
from oslogserve.native import Masks as NativeMasks
from oslogserve.search import rewritten
from oslogserve.text import counted

#: Bytes of a value.
SHORTEST_VALUE, LONGEST_VALUE = LIMITS["masking.SHORTEST_VALUE"], LIMITS["masking.LONGEST_VALUE"]
#: Bytes of a file of values.
LARGEST_FILE = 1024 * 1024


class Masks:
    """What is replaced; for many threads."""

    def __init__(self, values: Mapping[bytes, int], patterns: Mapping[str, str]) -> None:
        """values: the line of each. patterns: in RE2's syntax, by name. Raises ConfigError."""
        self._names = [
            *(f"value {line}" for line in values.values()),
            *(f"pattern {name}" for name in patterns),
        ]
        self._found: Counter[str] = Counter()
        self._lock = Lock()
        try:
            self._masks = NativeMasks([*values], [rewritten(one) for one in patterns.values()])
        except ValueError as error:
            raise ConfigError(f"what is to be masked: {error}") from None

    def begin(self) -> Masking:
        """The masking of one text."""
        return Masking(self._masks)

    def masked(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yields the masked text of chunks, also of those before an error, and counts what was found."""
        masking = self.begin()
        try:
            yield from masked(chunks, masking)
        finally:
            self.count(masking.counts)

    def names(self, counts: Sequence[int]) -> str:
        """The names of what was found, for a sentence."""
        pairs = zip(self._names, counts, strict=True)
        return ", ".join(name for name, count in pairs if count)

    def count(self, counts: Sequence[int]) -> None:
        """Adds what was found in a text that is stored."""
        with self._lock:
            self._found.update(dict(zip(self._names, counts, strict=True)))

    def summary(self) -> str:
        times = f"Masked {counted(self._found.total(), 'time')}"
        found = [f"{name} ({self._found[name]:,})" for name in self._names if self._found[name]]
        return f"{times}: {', '.join(found)}" if found else times


def masked(chunks: Iterable[bytes], masking: Masking) -> Iterator[bytes]:
    """Yields the masked text of chunks; also of those before an error."""
    try:
        for chunk in chunks:
            yield masking.feed(chunk)
    except (KeyboardInterrupt, OSError):
        yield masking.finish()
        raise
    yield masking.finish()


def load_masks(path: str | None, config: Config) -> Masks | None:
    """The values of a file and the patterns of [mask NAME]; None without any. Raises ConfigError, OSError."""
    patterns = {name: row["pattern"] for name, row in config.rows("mask")}
    values = _values(path) if path is not None else {}
    return Masks(values, patterns) if values or patterns else None


def _values(path: str) -> dict[bytes, int]:
    """The lines of a file, each once with its number. The file may be a pipe. Raises ConfigError, OSError."""
    with open(path, "rb") as file:
        content = file.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise ConfigError(f"{path}: it has more than {LARGEST_FILE >> 20} MiB")
    values: dict[bytes, int] = {}
    faults = []
    lines = content.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\n").split(b"\n")
    for number, line in enumerate(lines, 1):
        value = line.strip()
        if fault := _fault_of(value):
            faults.append(f"{path}:{number}: {fault}")
        values.setdefault(value, number)
    if faults:
        raise ConfigError("\n".join(faults))
    return values


def _fault_of(value: bytes) -> str:
    """What is wrong with a value, without a part of it; "" for nothing."""
    if not value:
        return "the line is empty: each line is a value"
    if len(value) < SHORTEST_VALUE:
        return f"a value has at least {SHORTEST_VALUE} bytes: a shorter one is in too many words"
    if len(value) > LONGEST_VALUE:
        return f"a value has at most {LONGEST_VALUE} bytes"
    return "a value has no NUL: write the file as UTF-8" if b"\0" in value else ""
