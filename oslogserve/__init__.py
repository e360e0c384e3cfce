# SPDX-License-Identifier: Apache-2.0
"""A web server for CI logs from disk and OpenStack Swift: a WSGI application and its commands."""

import re
from importlib.metadata import version

__version__ = version("oslogserve")
#: The release that this is, or that it came after: 1.0.0 of 1.0.0.post1.dev5+g1234567.
RELEASE = re.sub(r"\.?[^\d.].*", "", __version__)
