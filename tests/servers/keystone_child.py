# SPDX-License-Identifier: Apache-2.0
"""Set Keystone up: python -m tests.servers.keystone_child CONF URL

The administrator's password comes in BOOTSTRAP_PASSWORD.

The steps of keystone-manage, each in a fork of one interpreter: loading
Keystone takes longer than a step does.
"""

import grp
import os
import pwd
import sys

from keystone.cmd import cli


def main(conf, url):
    password = os.environ["BOOTSTRAP_PASSWORD"]
    for step in (
        ["db_sync"],
        ["fernet_setup", *owner()],
        ["receipt_setup", *owner()],
        ["credential_setup", *owner()],
        ["bootstrap", "--bootstrap-password", password, *urls(url)],
    ):
        run(["keystone-manage", "--config-file", conf, *step])


def owner():
    if os.geteuid():
        return []
    user, group = pwd.getpwuid(0).pw_name, grp.getgrgid(0).gr_name
    return ["--keystone-user", user, "--keystone-group", group]


def urls(url):
    words = ["--bootstrap-region-id", "RegionOne"]
    for interface in ("public", "internal", "admin"):
        words += [f"--bootstrap-{interface}-url", url]
    return words


def run(argv):
    pid = os.fork()
    if pid == 0:
        sys.argv = argv
        cli.main(argv=argv)
        sys.stdout.flush()
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        sys.exit(f"keystone-manage {argv[3]}: exit status {status}")


if __name__ == "__main__":
    main(*sys.argv[1:])
