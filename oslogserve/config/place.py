# SPDX-License-Identifier: Apache-2.0
"""The place of a store's logs: which service, which bucket, and which folder in it."""

import re
from dataclasses import dataclass

_URL = re.compile(r"(s3|gs|az)://((?:[\w.-]|\{partition\}){1,255})((?:/[^\s?#]*)?)", re.ASCII)
_TAKES = (
    "s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or az://CONTAINER/FOLDER, the folder if there is one"
)


@dataclass(frozen=True)
class Place:
    #: "s3", "gs" or "az".
    service: str
    #: The bucket's name; it may contain {partition}.
    bucket: str
    #: The folder, without slashes at its ends; "" for the whole bucket.
    folder: str

    def __str__(self) -> str:
        return f"{self.service}://{self.bucket}" + (f"/{self.folder}" if self.folder else "")

    @classmethod
    def parsed(cls, url: str) -> "Place | str":
        """The place of an address such as s3://logs/folder; "" for none. Raises ValueError."""
        if not url:
            return ""
        found = _URL.fullmatch(url)
        folder = found[3].removeprefix("/").removesuffix("/") if found else ""
        if (
            found is None
            or not found[2].strip(".")
            or (folder and {"", ".", ".."} & set(folder.split("/")))
        ):
            raise ValueError(_TAKES)
        return cls(found[1], found[2], folder)
