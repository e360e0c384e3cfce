# SPDX-License-Identifier: Apache-2.0
"""`oslogserve serve`: gunicorn around the application, without a configuration file for it."""

import sys
from typing import Any

from gunicorn.app.base import BaseApplication

from oslogserve.config import Config
from oslogserve.gunicorn_hooks import SETTINGS


class _Server(BaseApplication):
    def __init__(self, config: Config, settings: dict[str, Any]) -> None:
        self._config = config
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        for name, value in self._settings.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        # In the worker: prometheus_client must not be imported before the folder is named.
        from oslogserve.app import App

        app = App(self._config)
        print(app.description, file=sys.stderr, flush=True)
        return app


def serve(config: Config, bind: str, workers: int, threads: int) -> None:
    """Runs gunicorn until it is stopped."""
    _Server(config, {**SETTINGS, "bind": bind, "workers": workers, "threads": threads}).run()
