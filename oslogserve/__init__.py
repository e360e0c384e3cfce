# SPDX-License-Identifier: Apache-2.0
"""A web server for CI logs from disk and OpenStack Swift: a WSGI application and its commands."""

#: Of this release.
__version__ = "1.0.0"
