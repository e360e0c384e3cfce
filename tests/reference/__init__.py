# SPDX-License-Identifier: Apache-2.0
"""A second opinion on the times and severities of lines.

It reads the same tables as the native core, line by line and with Python's `re`, and is written to be
read. tests/fuzz/renderers compares the two: where they differ, one has a bug.
"""
