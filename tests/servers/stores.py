# SPDX-License-Identifier: Apache-2.0
"""Servers that answer as Google's and Azure's stores do, and a second one as S3.

`make .venv/stores/installed` installs them. Each knows one user, whose secrets are below.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import os
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

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


_direct = build_opener(ProxyHandler({}))


def _request(method, url, body=b"", **headers):
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    with _direct.open(Request(url, body, named, method=method)) as response:
        response.read()


def signature():
    """A query of Azure's by which everything may be done."""
    fields = {
        "ss": "b",
        "srt": "sco",
        "sp": "rwlc",
        "se": "2099-01-01T00:00:00Z",
        "spr": "https,http",
    }
    version = "2022-11-02"
    text = "\n".join(
        [
            *(AZURE_ACCOUNT, fields["sp"], fields["ss"], fields["srt"], "", fields["se"]),
            *("", fields["spr"], version, "", ""),
        ]
    )
    digest = hmac.new(base64.b64decode(AZURE_KEY), text.encode(), hashlib.sha256).digest()
    return urlencode(fields | {"sv": version, "sig": base64.b64encode(digest).decode()})


def _fill_azurite(server, files):
    query = signature()
    create = {"x_ms_version": "2022-11-02", "x_ms_blob_public_access": "container"}
    _request("PUT", f"{server.url}/logs?restype=container&{query}", **create)
    for name, content in files.items():
        kind = {"x_ms_version": "2022-11-02", "x_ms_blob_type": "BlockBlob"}
        _request("PUT", f"{server.url}/logs/{quote(name)}?{query}", content, **kind)


def _fill_google(server, files):
    json_type = {"Content_Type": "application/json"}
    _request(
        "POST", f"{server.url}/storage/v1/b", json.dumps({"name": "logs"}).encode(), **json_type
    )
    for name, content in files.items():
        to = f"{server.url}/upload/storage/v1/b/logs/o?uploadType=media&name={quote(name, safe='')}"
        _request("POST", to, content, Content_Type="text/plain")


def _fill_versity(server, files):
    import boto3

    client = boto3.client(
        "s3",
        endpoint_url=server.url,
        aws_access_key_id=S3_KEY,
        aws_secret_access_key=S3_SECRET,
        region_name="us-east-1",
    )
    client.create_bucket(Bucket="logs")
    for name, content in files.items():
        client.put_object(Bucket="logs", Key=name, Body=content)
    client.close()


@contextlib.contextmanager
def filled(kind, folder, files):
    """The options of a running store whose bucket has files. kind: as in its url."""
    server, fill = {
        "s3": (VersityGateway, _fill_versity),
        "gs": (FakeGoogle, _fill_google),
        "az": (Azurite, _fill_azurite),
    }[kind]
    with server(folder) as running:
        fill(running, files)
        options = {"url": f"{kind}://logs/f", "endpoint": running.url}
        own = {"region": "us-east-1"} if kind == "s3" else {"anonymous": "yes"}
        yield options | own


@contextlib.contextmanager
def reading(**options):
    """The source of a store with these options of its section, in this process."""
    [(name, section)] = load(None, {}, **{f"store_{key}": options[key] for key in options}).stores
    with contextlib.closing(Store(name, section, 65536, Metrics())) as store:
        yield store
