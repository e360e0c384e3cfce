# SPDX-License-Identifier: Apache-2.0
"""The Swift of `make run SWIFT=1`."""

import configparser
import contextlib
import signal
import subprocess
import sys

import swiftclient

from tests.servers.process import REPOSITORY, port_accepts


def test_foreground_swift_holds_the_files_it_was_given(tmp_path):
    logs = tmp_path / "logs"
    logs.mkdir()
    (logs / "x.txt").write_bytes(b"line\n")
    conf = tmp_path / "oslogserve.conf"
    argv = [sys.executable, "-m", "tests.servers", "--upload", logs, "--write-config", conf]
    with subprocess.Popen(argv, cwd=REPOSITORY, stdout=subprocess.PIPE) as foreground:
        try:
            assert foreground.stdout.readline() == b"ready\n"
            settings = configparser.RawConfigParser()
            settings.read(conf)
            assert settings["disk"]["root"] == str(logs)
            section = settings["swift"]
            login = section["auth_url"], section["username"], section["password"]
            with contextlib.closing(swiftclient.Connection(*login)) as connection:
                assert connection.get_object(section["container"], "x.txt")[1] == b"line\n"
        finally:
            foreground.send_signal(signal.SIGTERM)
    assert foreground.returncode == 0
    proxy = int(section["auth_url"].split("/")[2].rpartition(":")[2])
    assert not port_accepts(proxy)
