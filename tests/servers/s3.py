# SPDX-License-Identifier: Apache-2.0
"""A server that answers like S3: moto's, which keeps its objects in memory.

with S3() as s3:
    s3.put("logs", "console.log", b"a line\\n")
"""

import sys
from pathlib import Path

import boto3
from botocore.config import Config

from tests.servers.faulty import Faulty
from tests.servers.process import HOST, Server, environment, free_port

KEY, SECRET, REGION = "AKIAOSLOGSERVETESTS", "a secret of the tests", "us-east-1"
#: Credentials as users of S3 have them.
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}


class S3(Server):
    """faulty: clients reach it through the Faulty `faulty`."""

    def __init__(self, root=None, *, faulty=False):
        super().__init__("s3", root)
        port = free_port()
        self.faulty = self._resources.enter_context(Faulty(port)) if faulty else None
        self.url = self.faulty.url if faulty else f"http://{HOST}:{port}"
        self._own_url = f"http://{HOST}:{port}"
        self.process = self._child(
            [sys.executable, "-m", "moto.server", "--host", HOST, "--port", str(port)],
            self.root / "s3.log",
            ready=[port],
            env=environment(**ENVIRONMENT),
        )
        self._buckets = set()

    def _begin(self):
        self.process.start()
        self.client = boto3.client(
            "s3",
            endpoint_url=self._own_url,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name=REGION,
            config=Config(proxies={}, retries={"total_max_attempts": 1}),
        )
        self._resources.callback(self.client.close)

    def settings(self, place):
        """The options of a section [store] for a place such as "logs/folder"."""
        return {"url": f"s3://{place}", "endpoint": self.url, "region": REGION}

    def put(self, bucket, name, content, **options):
        """Stores an object; options: of boto3's put_object."""
        if bucket not in self._buckets:
            self.client.create_bucket(Bucket=bucket)
            self._buckets.add(bucket)
        self.client.put_object(Bucket=bucket, Key=name, Body=content, **options)

    def upload(self, folder, bucket):
        """Stores all files of a folder."""
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file():
                self.put(bucket, str(path.relative_to(folder)), path.read_bytes())
