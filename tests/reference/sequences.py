# SPDX-License-Identifier: Apache-2.0
"""What a terminal does not show."""

import re

#: Jenkins' notes, sequences that were copied, control sequences (ECMA-48), links (OSC 8), strings (OSC, APC, DCS, PM), tput's `ESC ( B`, and `ESC 7`
#: and `ESC 8`. Longer or unfinished ones are text.
_SEQUENCE = re.compile(
    rb"\x1b\[8mha:[\w+/=]{0,4096}\x1b\[0m|\^\[\[[0-9;]{0,64}[mK]|\x1b(?:"
    rb"\[[0-?]{0,64}[ -/]{0,4}[@-~]"
    rb"|\]8;[ -:<-~]{0,256};[^\x00-\x1f\x7f]{0,2083}(?:\x07|\x1b\\)"
    rb"|[\]_][^\x00-\x1f\x7f]{0,4096}(?:\x07|\x1b\\)"
    rb"|[P^][^\x00-\x1f\x7f]{0,4096}\x1b\\"
    rb"|\(B|[78])"
)


def without_sequences(text: bytes) -> bytes:
    """The text without its escape sequences."""
    return _SEQUENCE.sub(b"", text)
