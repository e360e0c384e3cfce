# SPDX-License-Identifier: Apache-2.0
"""The session with Swift.

swiftclient's own Connection cannot be shared by threads, sleeps a second on an expired token, and
retries for half a minute.
"""

import contextlib
import time
from functools import partial

from swiftclient.client import logger_settings

from oslogserve.config import Config
from oslogserve.metrics import Metrics
from oslogserve.sources import Trace
from oslogserve.sources.objects.access import Access
from oslogserve.sources.objects.session import ObjectSession
from oslogserve.sources.swift import SOURCE
from oslogserve.sources.swift.access import Tokens
from oslogserve.sources.swift.service import SwiftService

# swiftclient would log the beginning of each token.
logger_settings["reveal_sensitive_prefix"] = 0


class SwiftSession(ObjectSession):
    kind = "Swift"

    def __init__(self, config: Config, metrics: Metrics) -> None:
        options = config.section("swift")
        self._token_timeout = min(options["read_timeout"], options["answer_timeout"])
        tokens = Tokens(options, self._token_timeout, metrics, self._introduce)
        super().__init__(SOURCE, options, tokens, metrics)

    def _introduce(self, access: Access) -> None:
        """Lets Swift verify a new token with Keystone, so that no reader waits for that."""
        head = partial(SwiftService().head, access.storage_url, access.token)
        deadline = time.monotonic() + self._token_timeout
        with contextlib.suppress(Exception):  # the next reader's request will tell
            connection = self._connection(access.storage_url, deadline, Trace())
            self._request_once(head, connection, keeps_connection=False)
