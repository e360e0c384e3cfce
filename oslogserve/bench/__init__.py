# SPDX-License-Identifier: Apache-2.0
"""Measures a deployment from outside, as its clients see it.

It needs the extra `bench`. The server does not import it. From the server, it imports only the
configuration and, for uploads, the session with Swift.
"""
