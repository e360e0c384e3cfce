# SPDX-License-Identifier: Apache-2.0
"""The application under gunicorn: as `oslogserve serve` starts it, or as a site's own does."""

import sys
from pathlib import Path

from .process import HOST, REPOSITORY, Server, as_installed, free_port

CONFIG = REPOSITORY / "etc/gunicorn.conf.py"


class Gunicorn(Server):
    """`config` is the text of oslogserve's configuration; `options` go to the command line.

    workers: None for as many as there are by default. Most tests ask for one: each takes half a second to load.
    With shipped_config, gunicorn itself runs with etc/gunicorn.conf.py. scripts: the folder of the commands, if
    not those of this Python.
    """

    def __init__(self, config, *options, workers=1, shipped_config=False, env=None, scripts=None):
        super().__init__("gunicorn")
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        self.log = self.root / "gunicorn.log"
        config_file = self.root / "oslogserve.conf"
        config_file.write_text(config)
        variables = {"TMPDIR": str(self.root)}
        options = ["--bind", f"{HOST}:{self.port}", *options]
        if workers:
            options += ["--workers", str(workers)]
        scripts = scripts or Path(sys.executable).parent
        if shipped_config:
            variables["OSLOGSERVE_CONFIG"] = str(config_file)
            command = [scripts / "gunicorn", "--config", CONFIG]
        else:
            command = [scripts / "oslogserve", "serve", "--config", config_file]
        self.process = self._child(
            [*command, *options],
            self.log,
            ready=[self.port],
            env=as_installed(**variables | (env or {})),
        )

    def _begin(self):
        self.process.start()
