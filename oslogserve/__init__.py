# SPDX-License-Identifier: Apache-2.0
"""A WSGI server of CI logs, from disk and from OpenStack Swift."""

__version__ = "0.1.0"
