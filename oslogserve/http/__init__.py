# SPDX-License-Identifier: Apache-2.0
"""HTTP: Request, Answer, the Body that a server sends, and the log of requests.

Knows nothing of lines or sources.
"""

#: Content-Types.
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"
MARKDOWN = "text/markdown; charset=utf-8"
JSON = "application/json"
#: For answers without an ETag, since no client can ask whether they are still the same.
NO_STORE = ("Cache-Control", "no-store")
VARY = ("Vary", "Accept, Accept-Encoding")
