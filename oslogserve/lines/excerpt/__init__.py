# SPDX-License-Identifier: Apache-2.0
"""The excerpt of a failed log: the lines that explain the failure, as many as a number of bytes holds.

A log is read twice. Its summary says where lines are that may be worth showing. Those are read as a terminal
shows them, see `lines`. Then they are weighed, see `worth`, and the worthiest ones are chosen until the bytes
are full, see `choice`. Nothing here knows how an excerpt is written.
"""
