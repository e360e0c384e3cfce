# SPDX-License-Identifier: Apache-2.0
"""The table of all options; etc/oslogserve.conf explains each row of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from oslogserve.config import values
from oslogserve.config.values import BucketUrl, number, one_of


@dataclass(frozen=True)
class Option:
    section: str
    key: str
    default: str
    #: Parses a value. Raises ValueError that says which values are valid.
    parse: Callable[[str], Any]
    #: The environment variable that is used if the file does not set the option.
    env: str = ""

    @property
    def where(self) -> tuple[str, str]:
        return self.section, self.key


def _section(name: str, *rows: tuple[Any, ...]) -> list[Option]:
    """Options of a section. rows: their other fields."""
    return [Option(name, *row) for row in rows]


#: What Zuul, Jenkins, GitHub, Prow, Taskcluster and GitLab call a log of a job.
_JOB_MARKS = "job-output.* console* zuul-info/ 0_*.txt build-log.txt* live_backing.log* job.log* trace trace.[lt]*"
#: How a source of objects is asked.
_REQUESTS = (
    ("connect_timeout", "5", number(0.1, 300)),
    ("read_timeout", "30", number(0.1, 3600)),
    ("answer_timeout", "20", number(0.1, 3600)),
    ("retries", "2", number(0, 10)),
    ("resumes", "10", number(0, 1000)),
)
#: Options of [store] and of each [store NAME].
_STORE = (
    ("url", "", BucketUrl.parsed),
    ("partitions", "[0-9A-Za-z_-]{1,64}", values.pattern),
    ("anonymous", "no", values.yes_or_no),
    ("endpoint", "", values.storage_url),
    ("region", "", values.matching("[0-9A-Za-z-]{0,60}", "letters, digits and hyphens")),
    ("profile", "", str),
    ("ca_file", "", str),
    *_REQUESTS,
)

OPTIONS = (
    *_section(
        "disk",
        ("root", "", values.path),
        ("links", "no", values.yes_or_no),
    ),
    *_section(
        "swift",
        ("container", "", values.container),
        ("partitions", "[0-9A-Za-z_-]{1,64}", values.pattern),
        ("storage_url", "", values.storage_url),
        ("cloud", "", str, "OS_CLOUD"),
        ("auth_version", "3", one_of("3", "1")),
        ("auth_url", "", values.url, "OS_AUTH_URL"),
        ("username", "", str, "OS_USERNAME"),
        ("password", "", values.Secret, "OS_PASSWORD"),
        ("project_name", "", str, "OS_PROJECT_NAME"),
        ("project_id", "", str, "OS_PROJECT_ID"),
        ("user_domain_name", "Default", str, "OS_USER_DOMAIN_NAME"),
        ("user_domain_id", "", str, "OS_USER_DOMAIN_ID"),
        ("project_domain_name", "Default", str, "OS_PROJECT_DOMAIN_NAME"),
        ("project_domain_id", "", str, "OS_PROJECT_DOMAIN_ID"),
        ("application_credential_id", "", str, "OS_APPLICATION_CREDENTIAL_ID"),
        ("application_credential_secret", "", values.Secret, "OS_APPLICATION_CREDENTIAL_SECRET"),
        ("region_name", "", str, "OS_REGION_NAME"),
        ("interface", "public", one_of("public", "internal", "admin"), "OS_INTERFACE"),
        ("ca_file", "", str, "OS_CACERT"),
        *_REQUESTS,
    ),
    *_section("store", *_STORE),
    *_section(
        "serve",
        ("chunk_size", "65536", number(1024, 16 * 1024 * 1024)),
        ("listing", "yes", values.yes_or_no),
        ("replace_generated_index", "yes", values.yes_or_no),
        ("dot_files", "no", values.yes_or_no),
        ("page_size", "8388608", number(4096, 1024**4)),
        ("page_elements", "100000", number(4096, 10**9)),
        ("processor_time", "60", number(0.01, 3600)),
        ("inflated_size", "8589934592", number(2**20, 2**50)),
        ("job_logs", "1000", number(1, 100_000)),
        ("job_stored_size", "2147483648", number(2**20, 2**50)),
        ("job_unasked_size", "268435456", number(0, 2**50)),
        ("job_marks", _JOB_MARKS, values.marks),
        ("operators", "127.0.0.0/8 ::1", values.networks),
        ("fronts", "127.0.0.0/8 ::1", values.networks),
        ("hosts", "", values.hosts),
        ("cors_origins", "", values.origins),
        ("gzip_level", "2", values.gzip_level),
        ("max_age", "0", number(0, 365 * 24 * 3600)),
        ("threads", "8", number(1, 10000), "OSLOGSERVE_THREADS"),
    ),
    *_section(
        "job",
        ("passed", "", values.naming_pattern),
        ("passed_folder", "/passed", values.path),
    ),
    *_section(
        "source",
        ("url", "", values.source_url),
    ),
    *_section(
        "index",
        ("directory", "", values.path, "CACHE_DIRECTORY"),
        ("size", "1073741824", number(2**20, 2**50)),
    ),
    *_section(
        "seen",
        ("directory", "", values.path, "CACHE_DIRECTORY"),
        ("database", "", values.database),
        ("days", "21", number(1, 365)),
        ("list", "yes", values.yes_or_no),
    ),
    *_section(
        "known",
        ("rules", "", values.path),
    ),
    *_section(
        "metrics",
        ("path", "/metrics", values.path),
    ),
    *_section(
        "request_log",
        ("to", "off", values.destination),
    ),
)

#: Options of the sections [store NAME], [view NAME], [noise NAME], [mask NAME] and [format NAME], of which
#: there may be several.
NAMED_OPTIONS = (
    *_section("store", *_STORE),
    *_section("view", ("pattern", "", values.pattern), ("view", "log", one_of("log", "raw"))),
    *_section("noise", ("pattern", "", values.pattern)),
    *_section("mask", ("pattern", "", values.mask_pattern)),
    *_section("format", ("pattern", "", values.line_pattern), ("words", "", values.words)),
)

#: What to do about options that are gone, by (section, key). They are warnings: a configuration of an earlier
#: release serves.
REMOVED = {
    ("serve", "renderer"): "there is one renderer, remove this line",
    ("serve", "opentelemetry"): "remove this line, doc/operate.rst says how to make spans",
    ("request_log", "format"): "lines are JSON, remove this line",
    ("index", "beside"): "indexes are in [index] directory alone, remove this line",
    ("index", "write_beside"): "indexes are in [index] directory alone, remove this line",
}
