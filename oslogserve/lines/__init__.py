# SPDX-License-Identifier: Apache-2.0
"""From stored bytes to marked-up lines: decode, break into blocks, recognise, filter, render.

Pure functions and small machines over bytes; nothing here knows of HTTP, files or Swift.
"""
