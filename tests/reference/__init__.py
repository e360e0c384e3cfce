# SPDX-License-Identifier: Apache-2.0
"""A second opinion on what is true of a log: times, severities, causes and chapters of its lines.

It reads the same tables as the native core, line by line and with Python's `re`, and is written to be
read. tests/fuzz/renderers compares the two: where they differ, one has a bug.
"""
