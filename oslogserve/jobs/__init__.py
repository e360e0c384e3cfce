# SPDX-License-Identifier: Apache-2.0
"""Jobs: all logs below a folder, read together.

Knows sources, logs and lines, and nothing of HTTP or pages.
"""
