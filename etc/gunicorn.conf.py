# SPDX-License-Identifier: Apache-2.0
"""gunicorn --config gunicorn.conf.py, with OSLOGSERVE_CONFIG naming oslogserve's own file.

The settings are those of `oslogserve serve`; what a site sets below them wins.
"""

from oslogserve.gunicorn_hooks import COMMAND_SETTINGS

globals().update(COMMAND_SETTINGS)

bind = "127.0.0.1:8000"
# workers = 2
# threads = 32
