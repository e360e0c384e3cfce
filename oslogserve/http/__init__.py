# SPDX-License-Identifier: Apache-2.0
"""HTTP: Request and Response, the Body that a server sends, and the log of requests.

Knows nothing of lines or sources.
"""

TEXT = "text/plain; charset=utf-8"
#: For what has no ETag, so that nobody can ask whether it is still the same.
NO_STORE = ("Cache-Control", "no-store")
VARY = ("Vary", "Accept, Accept-Encoding")
