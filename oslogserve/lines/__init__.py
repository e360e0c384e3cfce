# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a log to marked-up lines: split, recognise, select, render.

Pure functions and small machines over bytes; nothing here knows of HTTP, files or Swift.
"""
