# SPDX-License-Identifier: Apache-2.0
"""gunicorn's configuration for Keystone, as `python:tests.servers.keystone_gunicorn`."""

import os

from tests.servers.process import die_with_parent
from tests.servers.request_log import RequestLog

wsgi_app = "keystone.wsgi.api:application"
workers = 1
threads = 4
timeout = 0  # a frozen worker must not be replaced
control_socket_disable = True  # it would lie in the home directory

_requests = RequestLog(os.environ["KEYSTONE_REQUEST_LOG"])


def post_fork(server, worker):
    die_with_parent()


def pre_request(worker, request):
    agents = [value for name, value in request.headers if name == "USER-AGENT"]
    _requests.write(request.method, request.path, " ".join(agents))
