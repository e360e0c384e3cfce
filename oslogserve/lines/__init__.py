# SPDX-License-Identifier: Apache-2.0
"""Turns the bytes of a log into the lines of a view.

This folder has what both renderers and the rest of the server use. `grammar` has the tables by which
lines are read, `pure` the renderer in Python. Nothing here knows of HTTP, files or Swift.
"""
