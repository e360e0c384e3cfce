# SPDX-License-Identifier: Apache-2.0
"""Imports the native core, oslogserve_core, which is installed with this package.

Raises ImportError, in one sentence, for none and for one that does not fit. This happens where Python
finds the package in a clone, and the core of an older wheel.
"""

from collections.abc import Mapping
from pathlib import Path

try:
    import oslogserve_core as core
    from oslogserve_core import *
except ImportError as error:
    raise ImportError(f"the native core cannot be used: {error}; install oslogserve anew") from None

#: A section [format NAME]: its name; a regular expression, matched at a line's beginning, with groups named time,
#: severity or both; severities by the words in upper case that the severity group may hold, none for the usual words.
Format = tuple[str, str, Mapping[bytes, str]]

#: The number of the interface between this package and the native core. If you change the interface
#: (a call, a field of Wanted or Tally), raise it here and in core/src/lib.rs.
INTERFACE = 49
FILE = Path(core.__file__)

if core.INTERFACE != INTERFACE:
    raise ImportError(
        f"the native core cannot be used: {FILE} has interface {core.INTERFACE}, not {INTERFACE};"
        " install oslogserve anew"
    )
