# SPDX-License-Identifier: Apache-2.0
"""The native core, a module of the distribution oslogserve-speedups."""

import importlib
from typing import Any

from oslogserve import __version__

#: The number of the interface between this package and the native core. If you change the interface
#: (a call, a field of NativeGrammar or Tally), raise it here and in speedups/src/lib.rs.
INTERFACE = 5


def _imported() -> tuple[Any, str]:
    try:
        core = importlib.import_module("oslogserve_speedups")
    except ImportError as error:
        return None, f"oslogserve-speedups is not installed ({error})"
    if core.__version__ != __version__:
        why = f"is of version {core.__version__}, not {__version__}: install that version"
        return None, f"oslogserve-speedups {why}"
    interface = getattr(core, "INTERFACE", 0)
    if interface != INTERFACE:
        why = f"has interface {interface}, not {INTERFACE}: build and install it anew"
        return None, f"oslogserve-speedups {why}"
    return core, ""


#: The module, or None and the reason why it is not used.
CORE, WHY_NOT = _imported()
