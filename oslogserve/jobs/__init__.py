# SPDX-License-Identifier: Apache-2.0
"""All logs below a folder at once: which there are, how they are read together, in which order.

Knows sources and lines, and nothing of HTTP or pages.
"""
