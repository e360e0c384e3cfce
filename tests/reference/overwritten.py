# SPDX-License-Identifier: Apache-2.0
"""Finds the text of a line that a terminal would have overwritten, and marks of sections.

A progress bar is one line, written again and again from its beginning; only its last state is shown.
GitLab's marks of sections are overwritten by their titles. GitHub's are plain text, found here.
"""

import re

#: GitHub's mark, after a byte order mark and a time.
_SECTION = re.compile(rb"(?:\xef\xbb\xbf)?(?:[0-9T:.-]{1,40}Z )?(##\[(?:end)?group\])")


def overwritten_in(text: bytes) -> tuple[int, int]:
    """Start and end of the part of a line that is not shown; equal for none."""
    end = text.rstrip(b"\r").rfind(b"\r") + 1
    if end:
        return 0, end
    section = _SECTION.match(text)
    return section.span(1) if section else (0, 0)
