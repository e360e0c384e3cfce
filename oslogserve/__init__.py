# SPDX-License-Identifier: Apache-2.0
"""A web server for CI logs from disk and OpenStack Swift: a WSGI application and its commands."""

#: Of this release. speedups/Cargo.toml has the same, as the native core must be of the same release.
__version__ = "1.0.0"
