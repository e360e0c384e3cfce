# SPDX-License-Identifier: Apache-2.0
"""A log while it is read: opened, inflated, charged to a budget, and read by its index.

The index has what was found out when a log was read to its end, so that it need not be read again. Nothing depends
on one: without it, or with a wrong one, the log is read. Here a summary is bytes, which whoever reads lines makes.

Knows sources, and nothing of HTTP, pages or lines.
"""
