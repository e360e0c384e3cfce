# SPDX-License-Identifier: Apache-2.0
"""A cloud of clouds.yaml, as OpenStack's clients have it: where a token comes from, and for which endpoint.

openstacksdk looks for the files and merges them; it is imported only for this. keystoneauth makes the
token's plugin. What goes wrong is told without values, since they may be secret.
"""

import os
import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from oslogserve.config.values import Secret, storage_url, url

INTERFACES = ("public", "internal", "admin")
#: Python's words for a key that keystoneauth's plugin does not take, or lacks.
_UNKNOWN_KEY = re.compile(r"unexpected keyword argument '(\w+)'")
_MISSING_KEY = re.compile(r"missing \d+ required positional arguments?: '(\w+)'")
#: keystoneauth's sentences about keys of auth, which contain no values.
_ABOUT_KEYS = re.compile(r"You (?:have provided a|must provide) [\w .,-]+")
#: openstacksdk's sentences that contain names alone. Others show what is not as they expect it.
_NAMES = re.compile(r"Cloud .* was not found\.|Region .* is not a valid region name for cloud .*")
#: What any password needs, as alternatives; keystoneauth finds it missing with the first request.
_NEEDED = (("password",), ("username", "user_id"))


class CloudError(ValueError):
    """What is wrong with a cloud, in a sentence without secrets."""


@dataclass(frozen=True)
class Cloud:
    """Its text is its name."""

    name: str
    region_name: str
    interface: str
    #: File with certificates, or "".
    ca_file: str
    #: Address that is used instead of the catalog's, or "".
    endpoint: str
    auth_type: str
    #: Arguments of keystoneauth's plugin.
    auth: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return self.name

    @property
    def auth_url(self) -> str:
        return self.auth.get("auth_url") or ""

    def plugin(self, **auth: str) -> Any:
        """keystoneauth's plugin for tokens, with these arguments instead of its own."""
        return self._loader().load_from_options(**{**self.auth, **auth})

    def missing(self) -> list[str]:
        """Keys of auth without which a password gets no token."""
        keys = {option.dest for option in self._loader().get_options()}
        needed = _NEEDED if "password" in keys else ()
        return [either[0] for either in needed if not any(map(self.auth.get, either))]

    def _loader(self) -> Any:
        from keystoneauth1 import loading

        return loading.get_plugin_loader(self.auth_type)


def load_cloud(name: str, region_name: str, environ: Mapping[str, str]) -> Cloud:
    """The cloud of this name. region_name: one of its regions, or "". Raises CloudError."""
    try:
        from openstack.config import loader
    except ImportError:
        raise CloudError('clouds.yaml is read where "oslogserve[clouds]" is installed') from None
    files = _first_of(name, environ.get("OS_CLIENT_CONFIG_FILE"), loader.CONFIG_FILES)
    secure_files = _first_of(name, environ.get("OS_CLIENT_SECURE_FILE"), loader.SECURE_FILES)
    if not files:
        folders = dict.fromkeys(map(os.path.dirname, loader.CONFIG_FILES))
        raise CloudError(f"there is no clouds.yaml that can be read, in {', '.join(folders)}")
    try:
        # Without variables, since those are no part of a cloud.
        known = loader.OpenStackConfig(files, secure_files=secure_files, load_envvars=False)
        with warnings.catch_warnings(action="ignore"):  # such as of a profile that nobody knows
            return _checked(name, known.get_one(name, region_name=region_name or None))
    except Exception as error:  # noqa: BLE001 - openstacksdk checks no types
        what = f"{files[0]}: {_in_words(error)}"
        if unread := _unread(environ.get("OS_CLIENT_SECURE_FILE"), loader.SECURE_FILES):
            what += f"; {unread} cannot be read"
        raise CloudError(what) from None


def _first_of(name: str, given: str | None, paths: Sequence[str]) -> list[str]:
    """The first file that can be read; none if there is none.

    name: a cloud's. Raises CloudError unless the file, the cloud and its auth are mappings.

    openstacksdk would log what it cannot parse, which may be secret, and take the next file.
    """
    for path in [*filter(None, [given]), *paths]:
        if os.path.isfile(path) and os.access(path, os.R_OK):
            try:
                with open(path, encoding="utf-8") as file:
                    content = yaml.safe_load(file)  # JSON is YAML
            except yaml.MarkedYAMLError as error:
                line = error.problem_mark.line + 1 if error.problem_mark else 1
                raise CloudError(f"{path}:{line}: no YAML") from None
            except (yaml.YAMLError, ValueError, RecursionError):
                raise CloudError(f"{path}: no YAML") from None
            if not isinstance(content, dict) or not isinstance(content.get("clouds"), dict):
                raise CloudError(f"{path}: it has no clouds")
            if what := _no_mapping(name, content["clouds"]):
                raise CloudError(f"{path}: {what}")
            return [path]
    return []


def _no_mapping(name: str, clouds: Mapping[str, Any]) -> str:
    """The sentence that a cloud, or its auth, is no mapping; "" if both are, or are not there."""
    cloud = clouds.get(name, {})
    if not isinstance(cloud, dict):
        return f"the cloud {name} has no keys"
    return (
        "" if isinstance(cloud.get("auth", {}), dict) else f"auth of the cloud {name} has no keys"
    )


def _unread(given: str | None, paths: Sequence[str]) -> str:
    """The first file that is there and cannot be read; "" for none."""
    found = [path for path in [*filter(None, [given]), *paths] if os.path.isfile(path)]
    return next((path for path in found if not os.access(path, os.R_OK)), "")


def _checked(name: str, region: Any) -> Cloud:
    """The cloud of openstacksdk's CloudRegion. Raises CloudError for what is not supported."""
    given = region.config
    interface = str(given.get("interface") or "public").removesuffix("URL")
    if interface not in INTERFACES:
        raise CloudError(f"{name}: interface is one of {', '.join(INTERFACES)}")
    verify, certificate = region.get_requests_verify_args()
    if not verify:
        raise CloudError(f"{name}: verification cannot be switched off: name a cacert instead")
    if certificate:
        raise CloudError(f"{name}: certificates of clients (cert, key) are not supported")
    endpoint = region.get_endpoint("object-store") or ""
    try:
        endpoint = storage_url(endpoint)
    except ValueError as takes:
        raise CloudError(f"{name}: object_store_endpoint_override takes {takes}") from None
    if "%(" in endpoint:
        raise CloudError(f"{name}: object_store_endpoint_override takes no %(...)")
    auth = {
        key: Secret(text) if isinstance(text, str) else text for key, text in given["auth"].items()
    }
    cloud = Cloud(
        name,
        region.region_name or "",
        interface,
        verify if isinstance(verify, str) else "",
        endpoint,
        given["auth_type"],
        auth,
    )
    try:
        url(cloud.auth_url)
    except ValueError as takes:
        raise CloudError(f"{name}: auth_url takes {takes}") from None
    if not hasattr(cloud.plugin(), "get_access"):
        raise CloudError(f"{name}: auth_type {cloud.auth_type} gets no token from Keystone")
    if missing := cloud.missing():
        raise CloudError(f"its auth has no {', '.join(missing)}")
    return cloud


def _in_words(error: Exception) -> str:
    """What is wrong, without values of the files but names of clouds, regions and plugins."""
    from keystoneauth1.exceptions import MissingRequiredOptions, NoMatchingPlugin, OptionError
    from openstack.exceptions import ConfigException

    text = str(error)
    if isinstance(error, CloudError):
        return text
    if isinstance(error, MissingRequiredOptions):
        return f"its auth has no {', '.join(option.dest for option in error.options)}"
    if isinstance(error, OptionError) and _ABOUT_KEYS.fullmatch(text):
        return f"its auth is not complete: {text.removesuffix('.')}"
    if isinstance(error, NoMatchingPlugin):
        return f"no auth_type {error.name} is installed"
    if isinstance(error, ConfigException) and _NAMES.fullmatch(text):
        return text
    if isinstance(error, TypeError) and (found := _UNKNOWN_KEY.search(text)):
        return f"its auth has {found[1]}, which its auth_type does not take"
    if isinstance(error, TypeError) and (found := _MISSING_KEY.search(text)):
        return f"its auth has no {found[1]}"
    return f"it is not as openstacksdk reads it ({type(error).__name__})"
