# SPDX-License-Identifier: Apache-2.0
"""The table of what there is to configure: etc/oslogserve.conf shows it, a test compares them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oslogserve.config import values


@dataclass(frozen=True)
class Option:
    """parse raises ValueError with what the option takes. env: used where the file is silent.

    instead_of: the option over which this one wins; in a file it keeps this one's env out.
    """

    section: str
    key: str
    default: str
    parse: Callable[[str], Any]
    help: str
    env: str = ""
    secret: bool = False
    instead_of: str = ""


OPTIONS = (
    Option(
        "disk",
        "root",
        "",
        values.path,
        "Folder of the logs on disk. Empty: no disk source. One inside of what is mounted is missed\n"
        "where that is not mounted when the server starts.",
    ),
    Option(
        "swift",
        "container",
        "",
        values.container,
        "Container of the logs in Swift. Empty: no Swift source. With {partition} in it, the\n"
        "first segment of a log's path takes its place and is no part of the object's name.",
    ),
    Option(
        "swift",
        "partitions",
        "[0-9A-Za-z_-]{1,64}",
        values.pattern,
        "What a first segment must look like to name a container (regular expression).",
    ),
    Option(
        "swift",
        "auth_version",
        "3",
        values.one_of("3", "1"),
        "3: Keystone, by password or application credential. 1: tempauth and its like.",
    ),
    Option("swift", "auth_url", "", values.url, "Where tokens come from.", "OS_AUTH_URL"),
    Option("swift", "username", "", str, "Version 1: account:user.", "OS_USERNAME"),
    Option("swift", "password", "", str, "Version 1: the key.", "OS_PASSWORD", secret=True),
    Option("swift", "project_name", "", str, "Project that owns the container.", "OS_PROJECT_NAME"),
    Option(
        "swift",
        "project_id",
        "",
        str,
        "Instead of its name.",
        "OS_PROJECT_ID",
        instead_of="project_name",
    ),
    Option(
        "swift", "user_domain_name", "Default", str, "The user's domain.", "OS_USER_DOMAIN_NAME"
    ),
    Option(
        "swift",
        "user_domain_id",
        "",
        str,
        "Instead of its name.",
        "OS_USER_DOMAIN_ID",
        instead_of="user_domain_name",
    ),
    Option(
        "swift",
        "project_domain_name",
        "Default",
        str,
        "The project's domain.",
        "OS_PROJECT_DOMAIN_NAME",
    ),
    Option(
        "swift",
        "project_domain_id",
        "",
        str,
        "Instead of its name.",
        "OS_PROJECT_DOMAIN_ID",
        instead_of="project_domain_name",
    ),
    Option(
        "swift",
        "application_credential_id",
        "",
        str,
        "Instead of username and password.",
        "OS_APPLICATION_CREDENTIAL_ID",
    ),
    Option(
        "swift",
        "application_credential_secret",
        "",
        str,
        "Its secret.",
        "OS_APPLICATION_CREDENTIAL_SECRET",
        secret=True,
    ),
    Option("swift", "region_name", "", str, "Region of the endpoint.", "OS_REGION_NAME"),
    Option(
        "swift",
        "interface",
        "public",
        values.one_of("public", "internal", "admin"),
        "Which endpoint of the catalog.",
        "OS_INTERFACE",
    ),
    Option("swift", "ca_file", "", str, "Certificates to trust; empty: the usual.", "OS_CACERT"),
    Option(
        "swift",
        "connect_timeout",
        "5",
        values.between(0.1, 300, float),
        "Seconds to wait for a connection.",
    ),
    Option(
        "swift",
        "read_timeout",
        "30",
        values.between(0.1, 3600, float),
        "Seconds to wait for the next bytes, answer_timeout at the most before the first. Swift\n"
        "itself gives a slow disk 10. A chunk may take the longer of both.",
    ),
    Option(
        "swift",
        "answer_timeout",
        "20",
        values.between(0.1, 3600, float),
        "Seconds until the first bytes of a log must be here, retries and a new token included.",
    ),
    Option(
        "swift",
        "retries",
        "2",
        values.between(0, 10, int),
        "How often a request that failed is made once more, where that can help.",
    ),
    Option(
        "swift",
        "resumes",
        "10",
        values.between(0, 1000, int),
        "How often a log that breaks off midway goes on from there.",
    ),
    Option(
        "serve",
        "chunk_size",
        "65536",
        values.between(1024, 16 * 1024 * 1024, int),
        "Bytes read from a source at a time.",
    ),
    Option(
        "serve",
        "listing",
        "yes",
        values.yes,
        "Whether a folder without index.html is shown as a listing.",
    ),
    Option(
        "serve",
        "page_size",
        "67108864",
        values.between(4096, 1024**4, int),
        "Bytes of a log that one HTML page shows, where no end is asked for; it links to the rest.",
    ),
    Option(
        "serve",
        "page_elements",
        "1100000",
        values.between(4096, 10**9, int),
        "Elements that it has at most, some 3 a line and one for each link, colour or match: a\n"
        "browser takes up to 1 KB for each.",
    ),
    Option(
        "serve",
        "gzip_level",
        "1",
        values.gzip_level,
        "How hard answers are compressed for clients that take gzip, 0 to 3, or off.",
    ),
    Option(
        "serve",
        "max_age",
        "0",
        values.between(0, 365 * 24 * 3600, int),
        "Seconds for which caches and browsers may show a log without asking whether it is still\n"
        "the same, once it has not changed for a day. Before, they always ask.",
    ),
    Option(
        "serve",
        "threads",
        "8",
        values.between(1, 10000, int),
        "Threads of each process, where gunicorn does not say: half of them may wait for a source.",
        "OSLOGSERVE_THREADS",
    ),
    Option(
        "serve",
        "renderer",
        "auto",
        values.one_of("auto", "native", "pure"),
        "native: oslogserve-speedups must be there. pure: in Python. auto: native where it is\n"
        "installed. Their pages are the same.",
        "OSLOGSERVE_RENDERER",
    ),
    Option(
        "metrics",
        "path",
        "/metrics",
        values.path,
        "Where Prometheus finds the metrics, below the mount point. Empty: nowhere.",
    ),
)

VIEWS = ("log", "raw")
#: Options of a section [view NAME].
VIEW_OPTIONS = (
    Option("view", "pattern", "", values.pattern, "Regular expression, searched in the path."),
    Option(
        "view",
        "view",
        "log",
        values.one_of(*VIEWS),
        "log: lines as HTML or text. raw: passed through with its type.",
    ),
)
#: Options of a section [format NAME].
FORMAT_OPTIONS = (
    Option(
        "format",
        "pattern",
        "",
        values.line_pattern,
        "Regular expression (RE2), tried at a line's beginning. Its groups time and severity, one\n"
        "of them at least, are what the line says of itself.",
    ),
    Option(
        "format",
        "words",
        "",
        values.words,
        "What the severity's words mean, as they stand in the log. Empty: the usual words.",
    ),
)
#: What sections of which there may be several take, by the word before their NAME.
NAMED_OPTIONS = {"view": VIEW_OPTIONS, "format": FORMAT_OPTIONS}
