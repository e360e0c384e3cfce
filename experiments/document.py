# SPDX-License-Identifier: Apache-2.0
"""doc/experiments.rst, whose figures stand between comments and are replaced there.

In one document, not included from others: what shows it on the web includes nothing.
"""

import re

BEGIN, END = ".. figures of {}", ".. end of figures"


def with_figures(text: str, name: str, figures: str) -> str:
    """The document with the figures of the experiment of this name in place of earlier ones."""
    begin = BEGIN.format(name)
    pattern = re.compile(rf"^{re.escape(begin)}\n.*?^{re.escape(END)}$", re.MULTILINE | re.DOTALL)
    replaced, count = pattern.subn(lambda _: f"{begin}\n\n{figures}\n{END}", text)
    if count != 1:
        raise ValueError(f"{begin!r} stands {count} times in the document")
    return replaced
