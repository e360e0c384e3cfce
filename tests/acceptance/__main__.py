# SPDX-License-Identifier: Apache-2.0
"""Makes a clean Debian, boots it in a container with its own systemd, and runs `steps` in it.

    python -m tests.acceptance [--test] [--release NAME] [--ca-file FILE]

Needs root, debootstrap and systemd-nspawn. The container uses the network of this machine, where nothing may
listen at the ports that the manual names. What it leaves is in var/acceptance.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

from .manual import REPOSITORY, marked

ROOT = REPOSITORY / "var/acceptance"
STEPS = Path(__file__).with_name("steps")
#: Real logs, which are not in the repository; without them the tests run as outside of CI, which skips some.
SAMPLES = Path(os.environ.get("OSLOGSERVE_SAMPLES") or REPOSITORY.parent / "shared/samples")
#: What a server has, beside Debian's smallest system, before anything of the manual is done.
PACKAGES = "ca-certificates,curl,dbus,git,libpam-systemd,make,python3,systemd-sysv"
#: nginx and Apache; oslogserve; `make run SWIFT=1`; Prometheus.
PORTS = (80, 8000, 8100, 9090)
#: Of the dashboard: what must have data in the end.
PANEL = "Swift: first byte, by size"
VARIABLES = {"$__rate_interval": "1m", "$job": "oslogserve", "$instance": ".*"}
#: Until it is given up; of `make test` beside that.
SECONDS, SECONDS_OF_TESTS = 1800, 3600
UNIT = """\
[Unit]
SuccessAction=poweroff
FailureAction=poweroff
[Service]
Type=exec
ExecStart=/acceptance/steps
WorkingDirectory=/root
StandardOutput=append:/acceptance/log
StandardError=append:/acceptance/log
EnvironmentFile=/acceptance/environment
[Install]
WantedBy=multi-user.target
"""


def main():
    options = parse_options()
    if os.geteuid() != 0:
        sys.exit("make acceptance needs root: debootstrap and systemd-nspawn do")
    if taken := [port for port in PORTS if is_taken(port)]:
        sys.exit(f"make acceptance needs the ports {taken}, at which something listens")
    started = time.monotonic()
    make_root(options.release)
    lay_out(options)
    status = boot(SECONDS + SECONDS_OF_TESTS * options.test)
    print(f"\nacceptance: {status}, {time.monotonic() - started:.0f} s")
    return 0 if status.startswith("passed") else 1


def parse_options():
    parser = argparse.ArgumentParser(prog="make acceptance", description="ARGS are:")
    parser.add_argument(
        "--test", action="store_true", help="run `make test` too, for which it takes longer"
    )
    parser.add_argument("--release", default="stable", help="Debian's, default: %(default)s")
    parser.add_argument(
        "--ca-file",
        type=Path,
        default=os.environ.get("SSL_CERT_FILE"),
        help="authorities to trust for the registries, default: $SSL_CERT_FILE",
    )
    return parser.parse_args()


def is_taken(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def make_root(release):
    shutil.rmtree(ROOT, ignore_errors=True)
    ROOT.parent.mkdir(exist_ok=True)
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, ROOT)
    shutil.copy("/etc/resolv.conf", ROOT / "etc/resolv.conf")
    (ROOT / "etc/hosts").write_text("127.0.0.1 localhost logs.example.org\n")
    run("chroot", ROOT, "useradd", "--create-home", "--shell", "/bin/bash", "dev")
    run("git", "clone", "--quiet", "--no-hardlinks", REPOSITORY, ROOT / "home/dev/oslogserve")
    if SAMPLES.is_dir():
        shutil.copytree(SAMPLES, ROOT / "home/dev/shared/samples")
    run("chroot", ROOT, "chown", "--recursive", "dev:dev", "/home/dev")


def lay_out(options):
    """What `steps` reads, in /acceptance."""
    folder = ROOT / "acceptance"
    (folder / "manual").mkdir(parents=True)
    for name, commands in marked().items():
        (folder / "manual" / name).write_text(commands)
    shutil.copy(STEPS, folder)
    tests = f"RUN_TESTS={int(options.test)}\nCI_OF_TESTS={'true' if SAMPLES.is_dir() else ''}\n"
    (folder / "environment").write_text(tests + trust(options.ca_file))
    (folder / "expression").write_text(expression())
    (ROOT / "etc/systemd/system/acceptance.service").write_text(UNIT)
    run("chroot", ROOT, "systemctl", "--quiet", "enable", "acceptance.service")


def trust(ca_file):
    """The variables by which curl, pip and cargo trust the authorities of a file."""
    if not ca_file:
        return ""
    shutil.copy(ca_file, ROOT / "acceptance/authorities.pem")
    names = (
        "CARGO_HTTP_CAINFO",
        "CURL_CA_BUNDLE",
        "PIP_CERT",
        "REQUESTS_CA_BUNDLE",
        "SSL_CERT_FILE",
    )
    return "".join(f"{name}=/acceptance/authorities.pem\n" for name in names)


def expression():
    """The first expression of the panel, as Grafana sends it."""
    dashboard = json.loads((REPOSITORY / "etc/grafana/oslogserve.json").read_text())
    (panel,) = (panel for panel in dashboard["panels"] if panel["title"] == PANEL)
    text = panel["targets"][0]["expr"]
    for name, value in VARIABLES.items():
        text = text.replace(name, value)
    return text


def boot(seconds):
    """Runs the steps, shows what they say, and returns what they wrote: that they passed, or which of them failed."""
    log, status = ROOT / "acceptance/log", ROOT / "acceptance/status"
    log.touch()
    container = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe"]
    environ = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
    command = [*container, f"--directory={ROOT}", "--boot"]
    deadline = time.monotonic() + seconds
    with (
        subprocess.Popen(command, env=environ, stdin=subprocess.DEVNULL) as running,
        log.open() as said,
    ):
        while running.poll() is None:
            if time.monotonic() > deadline:
                running.terminate()
                return f"not done after {seconds} s"
            time.sleep(1)
            print(said.read(), end="", flush=True)
    return status.read_text().strip() if status.exists() else "not begun"


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main())
