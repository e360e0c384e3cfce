# SPDX-License-Identifier: Apache-2.0
"""oslogserve with chunks of CHUNK_SIZE bytes, for gunicorn.

The option takes 1024 bytes at least. Only the workers import this: the master reads a configuration
without the option.
"""

import os
from dataclasses import replace

from oslogserve import config
from oslogserve.config.values import number

chunks = {"default": os.environ["CHUNK_SIZE"], "parse": number(1, 2**24)}
config.OPTIONS = tuple(
    replace(option, **chunks) if option.key == "chunk_size" else option for option in config.OPTIONS
)

from oslogserve.wsgi import application  # noqa: F401
