# SPDX-License-Identifier: Apache-2.0
"""Text of a line that a terminal does not show: what was written over, and marks of sections.

A progress bar is one line, written again and again from its beginning; its last state is shown.
GitLab's marks of sections are written over by their titles, so they are gone as well; GitHub's are
text.
"""

import re

#: Behind a byte order mark and GitHub's own time.
_SECTION = re.compile(rb"(?:\xef\xbb\xbf)?(?:[0-9T:.-]{1,40}Z )?(##\[(?:end)?group\])")


def overwritten_in(text: bytes) -> tuple[int, int]:
    """The place of the part of a line that is not shown; equal for none."""
    end = text.rstrip(b"\r").rfind(b"\r") + 1
    if end:
        return 0, end
    section = _SECTION.match(text)
    return section.span(1) if section else (0, 0)
