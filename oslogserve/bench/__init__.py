# SPDX-License-Identifier: Apache-2.0
"""Measures a deployment from outside, as its clients see it.

Needs the extra `bench`. The server does not import this. This imports from the server only its
configuration and, for uploads, its session with Swift.
"""
