# SPDX-License-Identifier: Apache-2.0
"""oslogserve as it would be if it kept no connection to Swift, for gunicorn."""

from oslogserve.sources.objects import session

session.IDLE_CONNECTIONS = 0

from oslogserve.wsgi import application  # noqa: F401
