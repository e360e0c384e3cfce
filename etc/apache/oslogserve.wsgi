# SPDX-License-Identifier: Apache-2.0
"""What mod_wsgi loads: the application, after all that it reads when it is imported.

SetEnv does not reach a daemon's os.environ. Other values than these come from Apache's own
environment, on Debian from /etc/apache2/envvars, or stand here.
"""

import os

os.environ.setdefault("OSLOGSERVE_CONFIG", "/etc/oslogserve/oslogserve.conf")
# Writable by Apache's user. Emptied at boot or before Apache starts: see tmpfiles.conf.
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", "/run/oslogserve/metrics")

from oslogserve.wsgi import application  # noqa: E402, F401
