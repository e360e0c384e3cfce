# SPDX-License-Identifier: Apache-2.0
"""A log while it is read: opened, inflated, and charged to a budget.

Knows sources, and nothing of HTTP, pages or lines.
"""
