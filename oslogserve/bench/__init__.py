# SPDX-License-Identifier: Apache-2.0
"""Measurements of a deployment from outside, as its clients see it.

Needs the libraries of the extra `bench`. Nothing of the server imports this, and this imports
nothing of the server but its configuration and its session with Swift, for uploads.
"""
