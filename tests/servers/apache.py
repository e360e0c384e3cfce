# SPDX-License-Identifier: Apache-2.0
"""The real Apache with Debian's mod_wsgi, and in it the vhost that we ship.

All it reads and writes lies in a folder of its own under /tmp, where Apache's user may go: pytest's
folders and a developer's home are closed to www-data.
"""

import atexit
import contextlib
import functools
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from .process import HOST, REPOSITORY, Server, ServerError, as_installed, free_port

VHOST = REPOSITORY / "etc/apache/oslogserve.conf"
PROXY = REPOSITORY / "etc/apache/proxy.conf"
CACHE = REPOSITORY / "etc/apache/cache.conf"
SCRIPT = REPOSITORY / "etc/apache/oslogserve.wsgi"
MODULES = Path("/usr/lib/apache2/modules")
PACKAGES = "apache2-bin libapache2-mod-wsgi-py3"

MAIN_CONFIG = """\
ServerRoot {root}
DefaultRuntimeDir {root}/run
PidFile {root}/run/apache.pid
Mutex file:{root}/run default
ServerName {host}
Listen {host}:{port}
{user}
{modules}
TypesConfig /etc/mime.types
ErrorLog {root}/error.log
LogLevel warn wsgi:info
WSGISocketPrefix {root}/run/wsgi
Define OSLOGSERVE_LISTEN {host}:{port}
Define OSLOGSERVE_NAME {host}
Define OSLOGSERVE_LOGS {logs}
Define OSLOGSERVE_VENV {venv}
Define OSLOGSERVE_SCRIPTS {root}/scripts
Define OSLOGSERVE_PROCESSES {processes}
Define OSLOGSERVE_THREADS {threads}
{defines}
{also}
Include {vhost}
"""
LOADED = "mpm_event authz_core authz_host alias rewrite headers mime dir env reqtimeout wsgi"
LOADED_FOR = {PROXY: "proxy proxy_http", CACHE: "cache cache_disk"}


class Apache(Server):
    """`logs` is the folder to serve; `config` is the text of oslogserve's own configuration.

    `script` replaces the shipped .wsgi, for tests of the vhost alone. `vhost` is VHOST or PROXY.
    `also` is more of Apache's configuration.
    """

    def __init__(
        self,
        logs,
        config,
        *,
        processes=2,
        threads=4,
        defines=None,
        script=SCRIPT,
        vhost=VHOST,
        cache=False,
        also="",
    ):
        _require_apache()
        super().__init__("apache")
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        self.metrics_dir = self.root / "metrics"
        self.vhost = vhost
        self.cache_dir = self.root / "cache"
        defines = dict(defines or {})
        if cache:
            defines["OSLOGSERVE_CACHE"] = self.cache_dir
        try:
            self._lay_out(logs, config, processes, threads, defines, script, vhost, also)
        except BaseException:
            self.close()
            raise
        self.process = self._child(
            ["apache2", "-DFOREGROUND", "-f", self.root / "apache.conf"],
            self.root / "apache.out",
            ready=[self.port],
            env=as_installed(
                PATH=f"{os.environ['PATH']}:/usr/sbin",
                OSLOGSERVE_CONFIG=str(self.root / "oslogserve.conf"),
                PROMETHEUS_MULTIPROC_DIR=str(self.metrics_dir),
            ),
        )

    def _lay_out(self, logs, config, processes, threads, defines, script, vhost, also):
        self.root.chmod(0o755)
        for name in ("run", "scripts", "metrics", "cache"):
            (self.root / name).mkdir()
        shutil.copy(script, self.root / "scripts/oslogserve.wsgi")
        shutil.copy(CACHE, self.root / "scripts")
        shutil.copy(vhost, self.root / "vhost.conf")
        (self.root / "oslogserve.conf").write_text(config)
        user = ""
        if os.geteuid() == 0:
            user = "User www-data\nGroup www-data"
            for folder in (self.metrics_dir, self.cache_dir):
                shutil.chown(folder, "www-data", "www-data")
        loaded = " ".join((LOADED, LOADED_FOR.get(vhost, ""), LOADED_FOR[CACHE]))
        (self.root / "apache.conf").write_text(
            MAIN_CONFIG.format(
                root=self.root,
                host=HOST,
                port=self.port,
                user=user,
                modules="\n".join(
                    f"LoadModule {m}_module {MODULES}/mod_{m}.so" for m in loaded.split()
                ),
                logs=logs,
                venv=_environment_for_www_data(),
                processes=processes,
                threads=threads,
                defines="\n".join(f'Define {name} "{text}"' for name, text in defines.items()),
                also=also.format(modules=MODULES),
                vhost=self.root / "vhost.conf",
            )
        )

    def _begin(self):
        try:
            self.process.start()
        except ServerError as error:
            raise ServerError(f"{error}\n{self.error_log()}") from None

    def restart_gracefully(self):
        """Restarts it as `apachectl graceful` does: new daemons, the old ones finish their requests."""
        os.kill(self.process.pid, signal.SIGUSR1)

    def error_log(self):
        with contextlib.suppress(FileNotFoundError):
            return (self.root / "error.log").read_text(errors="replace")
        return ""


@contextlib.contextmanager
def public_folder():
    """A new folder that Apache's user can read, for the logs to serve."""
    with tempfile.TemporaryDirectory(prefix="oslogserve-logs-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _require_apache():
    if not shutil.which("apache2", path=f"{os.environ['PATH']}:/usr/sbin"):
        raise ServerError(f"apache2 is missing: install Debian's {PACKAGES}")
    if not (MODULES / "mod_wsgi.so").exists():
        raise ServerError(f"Apache's mod_wsgi is missing: install Debian's {PACKAGES}")
    if sys.base_prefix != "/usr":
        raise ServerError(
            f"Debian's mod_wsgi needs an environment of /usr/bin/python3, not of {sys.base_prefix}"
        )


@functools.cache
def _environment_for_www_data():
    """sys.prefix, or links to its files, made once, if it lies where Apache's user may not go."""
    prefix = Path(sys.prefix)
    if os.geteuid() != 0 or all(p.stat().st_mode & 0o001 for p in (prefix, *prefix.parents)):
        return prefix
    copy = Path(tempfile.mkdtemp(prefix="oslogserve-venv-"))
    atexit.register(shutil.rmtree, copy)
    copy.chmod(0o755)
    shutil.copytree(prefix / "lib", copy / "lib", symlinks=True, copy_function=_link_or_copy)
    shutil.copy(prefix / "pyvenv.cfg", copy)
    (copy / "bin").mkdir()
    (copy / "bin/python3").symlink_to("/usr/bin/python3")
    return copy


def _link_or_copy(source, target):
    """A hard link: half a gigabyte takes seconds to copy. Another file system allows none."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)
