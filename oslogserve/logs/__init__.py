# SPDX-License-Identifier: Apache-2.0
"""What a log is while it is read: opened, inflated, and paid for.

Knows sources, and nothing of HTTP, pages or lines.
"""
