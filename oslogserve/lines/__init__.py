# SPDX-License-Identifier: Apache-2.0
"""Turns the bytes of a log into the lines of a view.

`renderer` hands logs to the native core, whose tables say how lines are read. Nothing here knows of HTTP,
files or Swift.
"""
