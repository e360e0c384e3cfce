# SPDX-License-Identifier: Apache-2.0
"""Makes a bare Debian of each release, boots it in a container with its own systemd, and runs `steps` in it.

    python -m tests.acceptance [--release NAME ...] [--part NAME ...] [--test] [--ca-file FILE]

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

FOLDER = REPOSITORY / "var/acceptance"
STEPS, AGENT = (Path(__file__).with_name(name) for name in ("steps", "agent"))
#: Real logs, which are not in the repository; without them the tests run as outside of CI, which skips some.
SAMPLES = Path(os.environ.get("OSLOGSERVE_SAMPLES") or REPOSITORY.parent / "shared/samples")
#: What a server has, beside Debian's smallest system, before anything of the manual is done.
PACKAGES = "ca-certificates,curl,dbus,git,libpam-systemd,make,python3,systemd-sysv"
#: nginx and Apache; oslogserve; `make run SWIFT=1`; Prometheus.
PORTS = (80, 8000, 8100, 9090)
#: Of the dashboard: what must have data in the end.
PANEL = "Swift: first byte, by size"
VARIABLES = {"$__rate_interval": "1m", "$job": "oslogserve", "$instance": ".*"}
RELEASES = ("bookworm", "trixie")
#: {part of `steps`: what it does}, in their order.
PARTS = {
    "bare": "`make run` without root and cargo says what is missing",
    "root": "README's first commands as root, which installs cargo",
    "user": "README's first commands as a user; cargo is there",
    "manual": "the manual's commands for a server",
}
#: Until it is given up; of `make test`, by root and by a user, beside that.
SECONDS, SECONDS_OF_TESTS = 3600, 7200
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
    passed = [accept(release, options) for release in options.release or RELEASES]
    return 0 if all(passed) else 1


def accept(release, options):
    """True if all steps passed."""
    started = time.monotonic()
    root = FOLDER / release
    make_root(root, release)
    lay_out(root, options.part or usual_parts(release, options.test), options)
    status = boot(root, SECONDS + SECONDS_OF_TESTS * options.test)
    print(f"\nacceptance: {release}: {status}, {time.monotonic() - started:.0f} s", flush=True)
    return status.startswith("passed")


def parse_options():
    about = "".join(f"  {part}: {does}\n" for part, does in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="make acceptance",
        description="ARGS are:",
        epilog=f"The parts are:\n{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--release",
        action="append",
        help=f"one of Debian's, may be repeated, default: {' and '.join(RELEASES)}",
    )
    parser.add_argument(
        "--part",
        action="append",
        choices=PARTS,
        help=f"may be repeated, default: all; `manual` only on {RELEASES[-1]} without --test",
    )
    parser.add_argument(
        "--test", action="store_true", help="run `make test` as root and as the user too"
    )
    parser.add_argument(
        "--ca-file",
        type=Path,
        default=os.environ.get("SSL_CERT_FILE"),
        help="authorities to trust for the registries, default: $SSL_CERT_FILE",
    )
    return parser.parse_args()


def usual_parts(release, test):
    """One server is enough. `make test` installs, but does not start, what the manual's commands expect to start."""
    return [part for part in PARTS if part != "manual" or (release == RELEASES[-1] and not test)]


def is_taken(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def make_root(root, release):
    """A bare system, with a clone for root and one for a user."""
    shutil.rmtree(root, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", release, root)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    (root / "etc/hosts").write_text("127.0.0.1 localhost logs.example.org\n")
    run("chroot", root, "useradd", "--create-home", "--shell", "/bin/bash", "dev")
    for home in (root / "root", root / "home/dev"):
        run("git", "clone", "--quiet", "--no-hardlinks", REPOSITORY, home / "oslogserve")
        if SAMPLES.is_dir():
            shutil.copytree(SAMPLES, home / "shared/samples")
    run("chroot", root, "chown", "--recursive", "dev:dev", "/home/dev")


def lay_out(root, parts, options):
    """What `steps` reads, in /acceptance."""
    folder = root / "acceptance"
    (folder / "manual").mkdir(parents=True)
    for name, commands in marked().items():
        (folder / "manual" / name).write_text(commands)
    for script in (STEPS, AGENT):
        shutil.copy(script, folder)
    chosen = f"PARTS={' '.join(part for part in PARTS if part in parts)}\nRUN_TESTS={int(options.test)}\n"
    chosen += f"CI_OF_TESTS={'true' if SAMPLES.is_dir() else ''}\n"
    (folder / "environment").write_text(chosen + trust(options.ca_file, folder))
    (folder / "expression").write_text(expression())
    (root / "etc/systemd/system/acceptance.service").write_text(UNIT)
    run("chroot", root, "systemctl", "--quiet", "enable", "acceptance.service")


def trust(ca_file, folder):
    """The variables by which curl, pip and cargo trust the authorities of a file."""
    if not ca_file:
        return ""
    shutil.copy(ca_file, folder / "authorities.pem")
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


def boot(root, seconds):
    """Runs the steps, shows what they say, and returns what they wrote: that they passed, or which of them failed."""
    log, status = root / "acceptance/log", root / "acceptance/status"
    log.touch()
    container = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--console=pipe"]
    environ = {**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"}
    command = [*container, f"--directory={root}", "--boot"]
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
