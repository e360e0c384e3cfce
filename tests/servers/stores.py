# SPDX-License-Identifier: Apache-2.0
"""Servers that answer as Google's and Azure's stores do, and a second one as S3.

`make .venv/stores/installed` installs them. Each knows one user, whose secrets are below.
"""

import contextlib
import os

from oslogserve.config import load
from oslogserve.metrics import Metrics
from oslogserve.sources.store.source import Store
from tests.servers.process import HOST, REPOSITORY, Process, environment, free_port

INSTALLED = REPOSITORY / ".venv/stores"
#: The user of versitygw.
S3_KEY, S3_SECRET = "reader", "of-the-tests-only"
#: The user of Azurite, as its manual has it.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)


class VersityGateway(Process):
    """S3 over a folder: each folder in it is a bucket."""

    def __init__(self, folder):
        """folder: on a file system with extended attributes."""
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        buckets = folder / "buckets"
        buckets.mkdir()
        argv = [INSTALLED / "bin/versitygw", "--port", f"{HOST}:{self.port}", "posix", buckets]
        secrets = {"ROOT_ACCESS_KEY_ID": S3_KEY, "ROOT_SECRET_ACCESS_KEY": S3_SECRET}
        env = environment(**secrets)
        super().__init__(argv, folder / "versitygw.log", ready=[self.port], env=env)


class FakeGoogle(Process):
    """Google's store in memory, by fake-gcs-server. It asks for no credentials."""

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}"
        argv = [INSTALLED / "bin/fake-gcs-server", "-backend=memory", "-scheme=http"]
        argv += [f"-host={HOST}", f"-port={self.port}", f"-public-host={HOST}:{self.port}"]
        super().__init__(argv, folder / "gcs.log", ready=[self.port])


class Azurite(Process):
    """Azure's store in memory."""

    def __init__(self, folder):
        self.port = free_port()
        self.url = f"http://{HOST}:{self.port}/{AZURE_ACCOUNT}"
        argv = ["node", INSTALLED / "node_modules/azurite/dist/src/blob/main.js"]
        argv += ["--inMemoryPersistence", "--disableTelemetry", "--skipApiVersionCheck"]
        argv += ["--blobHost", HOST, "--blobPort", str(self.port)]
        log = folder / "azurite.log"
        super().__init__(argv, log, ready=[self.port], env=environment(PATH=os.environ["PATH"]))


@contextlib.contextmanager
def reading(**options):
    """The source of a store with these options of its section, in this process."""
    [(name, section)] = load(None, {}, **{f"store_{key}": options[key] for key in options}).stores
    with contextlib.closing(Store(name, section, 65536, Metrics())) as store:
        yield store
