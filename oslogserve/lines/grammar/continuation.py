# SPDX-License-Identifier: Apache-2.0
"""Shapes of lines that continue the line above."""

#: The beginnings of such lines: indentation, frames and causes of tracebacks, the last line of an
#: exception, a compiler's context, closing brackets.
CONTINUATION = (
    rb"[ \t]|at [\w.$<>]+\(|Caused by: |\.\.\. \d+ more|During handling of the above|The above exception"
    rb"|(?:[\w$]+\.)+[A-Z][\w$]*(?::|{end})|\d+ +\||[|^~]|-->|In file included from |[})\]]+[,;]?{end}"
)
