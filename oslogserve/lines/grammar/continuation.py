# SPDX-License-Identifier: Apache-2.0
"""Shapes of lines that continue the line above."""

import functools
import re

#: Beginnings of continuation lines: indentation; frames and causes of tracebacks, and the last line
#: of an exception; a compiler's context; closing brackets.
CONTINUATION = (
    rb"[ \t]|at [\w.$<>]+\(|Caused by: |\.\.\. \d+ more|During handling of the above|The above exception"
    rb"|(?:[\w$]+\.)+[A-Z][\w$]*(?::|{end})|\d+ +\||[|^~]|-->|In file included from |[})\]]+[,;]?{end}"
)


@functools.cache
def _shape() -> re.Pattern[bytes]:
    return re.compile(CONTINUATION.replace(b"{end}", rb"\Z"))


def continues(text: bytes) -> bool:
    """True if a line continues the one above by its shape."""
    return _shape().match(text) is not None
