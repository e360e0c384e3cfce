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


def _requests_of(section: str) -> tuple[Option, ...]:
    """Options of how a source of objects is asked."""
    return (
        Option(section, "connect_timeout", "5", number(0.1, 300, float)),
        Option(section, "read_timeout", "30", number(0.1, 3600, float)),
        Option(section, "answer_timeout", "20", number(0.1, 3600, float)),
        Option(section, "retries", "2", number(0, 10, int)),
        Option(section, "resumes", "10", number(0, 1000, int)),
    )


#: Options of [store] and of each [store NAME].
_STORE_OPTIONS = (
    Option("store", "url", "", BucketUrl.parsed),
    Option("store", "partitions", "[0-9A-Za-z_-]{1,64}", values.pattern),
    Option("store", "anonymous", "no", values.yes_or_no),
    Option("store", "endpoint", "", values.storage_url),
    Option(
        "store", "region", "", values.matching("[0-9A-Za-z-]{0,60}", "letters, digits and hyphens")
    ),
    Option("store", "profile", "", str),
    Option("store", "ca_file", "", str),
    *_requests_of("store"),
)

OPTIONS = (
    Option("disk", "root", "", values.path),
    Option("disk", "links", "no", values.yes_or_no),
    Option("swift", "container", "", values.container),
    Option("swift", "partitions", "[0-9A-Za-z_-]{1,64}", values.pattern),
    Option("swift", "storage_url", "", values.storage_url),
    Option("swift", "cloud", "", str, "OS_CLOUD"),
    Option("swift", "auth_version", "3", one_of("3", "1")),
    Option("swift", "auth_url", "", values.url, "OS_AUTH_URL"),
    Option("swift", "username", "", str, "OS_USERNAME"),
    Option("swift", "password", "", values.Secret, "OS_PASSWORD"),
    Option("swift", "project_name", "", str, "OS_PROJECT_NAME"),
    Option("swift", "project_id", "", str, "OS_PROJECT_ID"),
    Option("swift", "user_domain_name", "Default", str, "OS_USER_DOMAIN_NAME"),
    Option("swift", "user_domain_id", "", str, "OS_USER_DOMAIN_ID"),
    Option("swift", "project_domain_name", "Default", str, "OS_PROJECT_DOMAIN_NAME"),
    Option("swift", "project_domain_id", "", str, "OS_PROJECT_DOMAIN_ID"),
    Option("swift", "application_credential_id", "", str, "OS_APPLICATION_CREDENTIAL_ID"),
    Option(
        "swift",
        "application_credential_secret",
        "",
        values.Secret,
        "OS_APPLICATION_CREDENTIAL_SECRET",
    ),
    Option("swift", "region_name", "", str, "OS_REGION_NAME"),
    Option("swift", "interface", "public", one_of("public", "internal", "admin"), "OS_INTERFACE"),
    Option("swift", "ca_file", "", str, "OS_CACERT"),
    *_requests_of("swift"),
    *_STORE_OPTIONS,
    Option("serve", "chunk_size", "65536", number(1024, 16 * 1024 * 1024, int)),
    Option("serve", "listing", "yes", values.yes_or_no),
    Option("serve", "replace_generated_index", "yes", values.yes_or_no),
    Option("serve", "dot_files", "no", values.yes_or_no),
    Option("serve", "page_size", "8388608", number(4096, 1024**4, int)),
    Option("serve", "page_elements", "100000", number(4096, 10**9, int)),
    Option("serve", "processor_time", "60", number(0.01, 3600, float)),
    Option("serve", "inflated_size", "8589934592", number(2**20, 2**50, int)),
    Option("serve", "job_logs", "1000", number(1, 100_000, int)),
    Option("serve", "job_stored_size", "2147483648", number(2**20, 2**50, int)),
    Option("serve", "job_unasked_size", "268435456", number(0, 2**50, int)),
    Option("serve", "job_marks", "job-output.* console* zuul-info/ 0_*.txt", str),
    Option("serve", "operators", "127.0.0.0/8 ::1", values.networks),
    Option("serve", "fronts", "127.0.0.0/8 ::1", values.networks),
    Option("serve", "cors_origins", "", values.origins),
    Option("serve", "gzip_level", "2", values.gzip_level),
    Option("serve", "max_age", "0", number(0, 365 * 24 * 3600, int)),
    Option("serve", "threads", "8", number(1, 10000, int), "OSLOGSERVE_THREADS"),
    Option("job", "passed", "", values.pattern),
    Option("job", "passed_folder", "/passed", values.path),
    Option("index", "directory", "", values.path, "CACHE_DIRECTORY"),
    Option("index", "size", "1073741824", number(2**20, 2**50, int)),
    Option("seen", "directory", "", values.path, "CACHE_DIRECTORY"),
    Option("seen", "database", "", values.database),
    Option("seen", "days", "21", number(1, 365, int)),
    Option("seen", "list", "yes", values.yes_or_no),
    Option("known", "rules", "", values.path),
    Option("metrics", "path", "/metrics", values.path),
    Option("request_log", "to", "off", values.destination),
)

#: Options of the sections [store NAME], [view NAME], [noise NAME], [mask NAME] and [format NAME], of which
#: there may be several.
NAMED_OPTIONS = (
    *_STORE_OPTIONS,
    Option("view", "pattern", "", values.pattern),
    Option("view", "view", "log", one_of("log", "raw")),
    Option("noise", "pattern", "", values.pattern),
    Option("mask", "pattern", "", values.mask_pattern),
    Option("format", "pattern", "", values.line_pattern),
    Option("format", "words", "", values.words),
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
