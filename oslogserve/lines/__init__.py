# SPDX-License-Identifier: Apache-2.0
"""Turns the bytes of a log into the lines of a view.

`grammar` has the tables by which lines are read, `renderer` hands logs to the native core. Nothing here
knows of HTTP, files or Swift.
"""
