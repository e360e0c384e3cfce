# SPDX-License-Identifier: Apache-2.0
"""The fault matrix: what a reader gets of a log while its source fails, for every fault, packing
and view. Run by `python -m tests.faults`, in a short form by tests/functional/test_faults.py.

A cell is `whole` (every byte as without the fault), `told` (the reader is told that the log or
a part of it could not be had) or WRONG (anything else: a part for the whole, other bytes, "not
found", no answer within the bound).
"""
