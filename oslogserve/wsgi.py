# SPDX-License-Identifier: Apache-2.0
"""`application`, for mod_wsgi and gunicorn: configured once, when it is imported."""

import os
import sys

from oslogserve.allocator import share_arenas
from oslogserve.app import App
from oslogserve.config import load

share_arenas()
application = App(load(os.environ.get("OSLOGSERVE_CONFIG")))
print(application.description, file=sys.stderr, flush=True)
