# SPDX-License-Identifier: Apache-2.0
"""Imports the native core, oslogserve_core, which is installed with this package.

Raises ImportError, in one sentence, for none and for one that does not fit. This happens where Python
finds the package in a clone, and the core of an older wheel. A wheel has both.
"""

from collections.abc import Mapping
from pathlib import Path
from zlib import crc32

try:
    import oslogserve_core as core
    from oslogserve_core import *
except ImportError as error:
    raise ImportError(f"the native core cannot be used: {error}; install oslogserve anew") from None

#: A section [format NAME]: its name; a regular expression, matched at a line's beginning, with groups named time,
#: severity or both; severities by the words in upper case that the severity group may hold, none for the usual words.
Format = tuple[str, str, Mapping[bytes, str]]

FILE = Path(core.__file__)
_PACKAGE = Path(__file__).parent
#: The core's sources, if this package is in a clone.
_SOURCES = _PACKAGE.parent / "core"


def _interface() -> str:
    """The INTERFACE of a core of these sources: a digest of the files that exchange something with Python."""
    texts = (path.read_bytes() for path in sorted(_SOURCES.glob("src/**/*.rs")))
    return f"{crc32(b''.join(text for text in texts if b'pyo3' in text)):08x}"


if (_SOURCES / "oslogserve_core.pyi").exists():
    if _interface() != core.INTERFACE:
        raise ImportError(
            f"the native core cannot be used: {FILE} was built from sources whose interface is not that of"
            f" {_SOURCES}; install oslogserve anew"
        )
elif FILE.parent != _PACKAGE.parent:
    raise ImportError(
        f"the native core cannot be used: {FILE} was not installed together with {_PACKAGE};"
        " install oslogserve anew"
    )
