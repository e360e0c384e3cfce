# SPDX-License-Identifier: Apache-2.0
"""`application` for mod_wsgi and other servers. It is configured when this is imported."""

import os
from collections.abc import Iterable
from typing import Any

from oslogserve import __version__
from oslogserve.app import App, Environ
from oslogserve.config import ConfigError, load
from oslogserve.http import TEXT
from oslogserve.text import log_message
from oslogserve.threads import set_up_malloc


def _not_configured(environ: Environ, start_response: Any) -> Iterable[bytes]:
    """Answers every request with 503. For an exception, mod_wsgi would log a traceback each time."""
    start_response("503 Service Unavailable", [("Content-Type", TEXT)])
    return [b"The configuration has faults. The server's log names them.\n"]


set_up_malloc()
try:
    config = load(os.environ.get("OSLOGSERVE_CONFIG"))
    application: Any = App(config)
    log_message(f"oslogserve {__version__}")
    for what in [*config.removed, *application.faults]:
        log_message(what)
except ConfigError as error:
    log_message(error)
    application = _not_configured
