# SPDX-License-Identifier: Apache-2.0
"""The salts of ETags and of indexes: whatever changes them like the bytes of their log."""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from oslogserve import __version__, native

_PACKAGE = Path(__file__).parent
#: What an index depends on, next to the native core and user formats: how a log is decoded, how its lines
#: are understood, and the index itself. A module that one of these imports counts only if it is named here.
_OF_INDEXES = (
    "lines",
    *(f"logs/{name}.py" for name in ("blocks", "decode", "indexes")),
    "search.py",
)
#: A part of these that only reads what an index has.
_OF_NO_INDEX = "lines/excerpt"


def salt_of(formats: Sequence[object], of_indexes: bool = False) -> str:
    """The salt of ETags: version, user formats by what they show of themselves, and a digest of the code.

    of_indexes: the salt of indexes, which is the same for all releases and machines that make the same indexes.
    """
    code = f"{_of_code(of_indexes)} {formats}".encode()
    digest = hashlib.sha256(code).hexdigest()[:12]
    return digest if of_indexes else f"{__version__} {digest}"


@cache
def _of_code(of_indexes: bool) -> str:
    """A digest of the native core's file, modules and templates, which may differ within one version; or of
    the core's sources and the modules that have part in an index."""
    digest = hashlib.sha256(native.SOURCES.encode() if of_indexes else native.FILE.read_bytes())
    for path in sorted(_PACKAGE.rglob("*")):
        name = str(path.relative_to(_PACKAGE))
        has_part = name.startswith(_OF_INDEXES) and not name.startswith(_OF_NO_INDEX)
        if path.is_file() and path.suffix != ".pyc" and (has_part or not of_indexes):
            digest.update(path.read_bytes())
    return digest.hexdigest()
