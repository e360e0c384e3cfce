# SPDX-License-Identifier: Apache-2.0
"""What mod_wsgi loads: the application, after all that it reads when it is imported.

SetEnv does not reach a daemon's os.environ. Other values than these come from Apache's own
environment, on Debian from /etc/apache2/envvars, or stand here.
"""

import os

import mod_wsgi

os.environ.setdefault("OSLOGSERVE_CONFIG", "/etc/oslogserve/oslogserve.conf")
# Writable by Apache's user. Emptied at boot or before Apache starts: see tmpfiles.conf.
os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", "/run/oslogserve/metrics")

# Half of the daemon's threads may wait for one source.
os.environ.setdefault("OSLOGSERVE_THREADS", str(mod_wsgi.threads_per_process))

from oslogserve.wsgi import application  # noqa: E402, F401
