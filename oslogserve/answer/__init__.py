# SPDX-License-Identifier: Apache-2.0
"""HTTP's side of an answer: conditions and ranges before it, counting and closing while it
goes out. Knows nothing of lines or sources."""
