# SPDX-License-Identifier: Apache-2.0
"""The index of a log: what was found out when it was read to its end, so that it need not be read again.

`log_index` is the index and its file, `indexes` keeps the files, `indexed_log` reads a log by its index.
Nothing depends on an index: without one, or with a wrong one, the log is read.
"""
