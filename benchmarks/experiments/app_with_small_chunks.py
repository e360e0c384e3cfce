# SPDX-License-Identifier: Apache-2.0
"""oslogserve with chunks as small as the first os-loganalyze had, for gunicorn.

The option takes 1024 bytes at least: what a log is shows in the first chunk.
"""

from dataclasses import replace

from oslogserve import config
from oslogserve.config.values import number

config.OPTIONS = tuple(
    replace(option, parse=number(1, 2**24, int)) if option.key == "chunk_size" else option
    for option in config.OPTIONS
)

from oslogserve.wsgi import application  # noqa: F401
