# SPDX-License-Identifier: Apache-2.0
"""[swift] cloud: a cloud of clouds.yaml, as OpenStack's clients have it.

openstacksdk looks for the files and merges them; it is imported only for this. keystoneauth makes the
token's plugin.
"""

import logging
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from oslogserve.config.options import OPTIONS
from oslogserve.config.parser import ConfigError, ConfigFile
from oslogserve.config.values import Secret, storage_url, url

#: Options that win over those of the cloud.
_ADJUSTING = ("region_name", "interface", "ca_file")
_SWIFT = [option for option in OPTIONS if option.section == "swift"]
#: Options that say where a token comes from, or for whom.
_CREDENTIALS = [
    option
    for option in _SWIFT
    if (option.env and option.key != "ca_file") or option.key == "auth_version"
]
#: Those of no cloud.
_OTHER_CREDENTIALS = {option.key for option in _CREDENTIALS} - {"cloud", *_ADJUSTING}

Values = Mapping[tuple[str, str], Any]


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
        from keystoneauth1 import loading

        return loading.get_plugin_loader(self.auth_type).load_from_options(**{**self.auth, **auth})


def credentials(values: Values, file: ConfigFile) -> dict[str, str]:
    """The options that say where a token comes from: those that are set, by key as their user wrote them."""
    return {
        option.key: option.key if option.where in file.settings else option.env
        for option in _CREDENTIALS
        if values[option.where] not in (None, option.parse(option.default))
    }


def names_credentials(file: ConfigFile) -> bool:
    """True if the file has credentials, or an address that needs none. OS_CLOUD does not count then."""
    return any(("swift", key) in file.settings for key in (*_OTHER_CREDENTIALS, "storage_url"))


def of_cloud(
    values: Values, file: ConfigFile, environ: Mapping[str, str]
) -> dict[tuple[str, str], Any]:
    """The options that a cloud gives; none, and a fault is added, if it cannot be used."""
    where = ("swift", "cloud")
    name, region_name = values[where], values["swift", "region_name"]
    if not name or not values["swift", "container"] or values["swift", "storage_url"]:
        return {}
    given = credentials(values, file).items()
    if others := [shown for key, shown in given if key in _OTHER_CREDENTIALS]:
        what = f"the cloud {name} has credentials of its own: leave out {', '.join(others)}"
        file.add_fault(where, what)
        return {}
    try:
        cloud = _load_cloud(name, region_name, environ)
    except ConfigError as error:
        file.add_fault(where, str(error))
        return {}
    return {where: cloud} | {
        option.where: getattr(cloud, option.key)
        for option in _SWIFT
        if option.key in _ADJUSTING
        and option.where not in file.settings
        and not environ.get(option.env)
    }


def _load_cloud(name: str, region_name: str, environ: Mapping[str, str]) -> Cloud:
    """The cloud of this name. region_name: one of its regions, or "". Raises ConfigError without secrets."""
    try:
        from keystoneauth1.exceptions import AuthPluginException
        from openstack.config import loader
        from openstack.exceptions import ConfigException
    except ImportError:
        raise ConfigError('clouds.yaml is read where "oslogserve[clouds]" is installed') from None
    own, secure = environ.get("OS_CLIENT_CONFIG_FILE"), environ.get("OS_CLIENT_SECURE_FILE")
    files = [*filter(None, [own]), *loader.CONFIG_FILES]
    secure_files = [*filter(None, [secure]), *loader.SECURE_FILES]
    at, skipped = ", ".join(files), list[str]()

    def note(record: logging.LogRecord) -> bool:
        """Keeps the name of a file that has no clouds. What it has would be logged, and may be secret."""
        skipped.extend(map(str, [*(record.args or ())][:1]))
        return False

    log = logging.getLogger("openstack.config")
    log.addFilter(note)
    try:
        # Without variables, since those are no part of a cloud.
        clouds = loader.OpenStackConfig(files, secure_files=secure_files, load_envvars=False)
        at = clouds.config_filename or at
        with warnings.catch_warnings(action="ignore"):  # such as of a profile that nobody knows
            region = clouds.get_one(name, region_name=region_name or None)
            if set(skipped) & set(secure_files):  # openstacksdk goes on without what it has
                raise ConfigError("its secrets cannot be read")
            return _checked(name, region)
    except Exception as error:  # noqa: BLE001 - openstacksdk checks no types
        # The texts of these name keys, clouds and regions, up to a dump. Others may show values.
        harmless = ConfigError, ConfigException, AuthPluginException, TypeError, AttributeError
        is_harmless = isinstance(error, harmless)
        text = (
            str(error).partition("{")[0]
            if is_harmless
            else f"{type(error).__name__} in openstacksdk"
        )
        without = f" (no YAML with clouds: {', '.join(skipped)})" if skipped else ""
        raise ConfigError(f"{at}: {text}{without}") from None
    finally:
        log.removeFilter(note)


def _checked(name: str, region: Any) -> Cloud:
    """The cloud of openstacksdk's CloudRegion. Raises ConfigError for what is not supported."""
    verify, certificate = region.get_requests_verify_args()
    if not verify or certificate:
        what = "verification cannot be switched off, and a client's certificate is not sent"
        raise ConfigError(f"{name}: {what}: remove verify, insecure, cert and key")
    try:
        endpoint = storage_url(region.get_endpoint("object-store") or "")
        url(region.config["auth"].get("auth_url") or "")
    except ValueError as takes:
        what = f"auth_url and object_store_endpoint_override take {takes}"
        raise ConfigError(f"{name}: {what}") from None
    auth = region.config["auth"].items()
    cloud = Cloud(
        name,
        region.region_name or "",
        str(region.config.get("interface") or "public").removesuffix("URL"),
        verify if isinstance(verify, str) else "",
        endpoint,
        region.config["auth_type"],
        {key: Secret(text) if isinstance(text, str) else text for key, text in auth},
    )
    if not hasattr(cloud.plugin(), "get_access"):
        raise ConfigError(f"{name}: auth_type {cloud.auth_type} gets no token from Keystone")
    return cloud
