# SPDX-License-Identifier: Apache-2.0
"""The native core, a module of the distribution oslogserve-speedups."""

import importlib
from typing import Any

from oslogserve import __version__


def _imported() -> tuple[Any, str]:
    try:
        core = importlib.import_module("oslogserve_speedups")
    except ImportError as error:
        return None, f"oslogserve-speedups is not installed ({error})"
    if core.__version__ != __version__:
        return None, f"oslogserve-speedups is of version {core.__version__}, not {__version__}"
    return core, ""


#: The module, or None and the reason why it is not used.
CORE, WHY_NOT = _imported()
