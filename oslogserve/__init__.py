# SPDX-License-Identifier: Apache-2.0
"""A web server for CI logs from disk and OpenStack Swift: a WSGI application and its commands."""

__version__ = "0.1.0"
