# SPDX-License-Identifier: Apache-2.0
"""gunicorn --config etc/gunicorn.conf.py, with OSLOGSERVE_CONFIG naming oslogserve's own file.

SETTINGS are what `oslogserve serve` uses too; what a site sets below them wins.
"""

from oslogserve.gunicorn_hooks import SETTINGS

globals().update(SETTINGS)

wsgi_app = "oslogserve.wsgi:application"
bind = "127.0.0.1:8000"
# workers = 2
# threads = 32
