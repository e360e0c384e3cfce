# SPDX-License-Identifier: Apache-2.0
"""The salts of ETags and of indexes: whatever changes them like the bytes of their log."""

import hashlib
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from oslogserve import __version__, native

_PACKAGE = Path(__file__).parent
#: What an index depends on, next to the native core and user formats: how a log is decoded, how its lines
#: are understood, and the index itself. A module that one of these imports counts only if it is named here.
_OF_INDEXES = (
    "lines",
    *(f"logs/{name}.py" for name in ("blocks", "decode", "index_file", "indexes")),
    "search.py",
)
#: A part of these that only reads what an index has.
_OF_NO_INDEX = "lines/brief"


def salt_of(formats: Sequence[object]) -> str:
    """The salt of ETags: version, user formats by what they show of themselves, and a digest of the code."""
    return f"{__version__} {_digest(_of_code(), formats)}"


def rules_of(formats: Sequence[object]) -> str:
    """The salt of indexes, which is the same for all releases and machines that make the same indexes."""
    return _digest(_of_rules(), formats)


def _digest(of_code: str, formats: Sequence[object]) -> str:
    return hashlib.sha256(f"{of_code} {formats}".encode()).hexdigest()[:12]


@cache
def _of_code() -> str:
    """A digest of the native core's file, modules and templates, which may differ within one version."""
    return _of_files(_files_below(_PACKAGE), native.FILE.read_bytes())


@cache
def _of_rules() -> str:
    """A digest of the native core's sources, and of the modules that have part in an index."""
    paths = (path for name in _OF_INDEXES for path in _files_below(_PACKAGE / name))
    paths = (path for path in paths if not path.is_relative_to(_PACKAGE / _OF_NO_INDEX))
    return _of_files(paths, native.SOURCES.encode())


def _files_below(path: Path) -> Iterable[Path]:
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    return (file for file in files if file.is_file() and file.suffix != ".pyc")


def _of_files(paths: Iterable[Path], core: bytes) -> str:
    digest = hashlib.sha256(core)
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
