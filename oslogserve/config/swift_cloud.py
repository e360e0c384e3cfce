# SPDX-License-Identifier: Apache-2.0
"""[swift] cloud: which options it excludes, and which ones it gives."""

from collections.abc import Mapping
from typing import Any

from oslogserve.config.options import OPTIONS
from oslogserve.config.parser import ConfigFile

#: Options that win over those of the cloud.
_ADJUSTING = ("region_name", "interface", "ca_file")
_CREDENTIALS = [option for option in OPTIONS if option.is_credential]

Values = Mapping[tuple[str, str], Any]


def credentials(values: Values, parsed: ConfigFile) -> dict[str, str]:
    """The options that say where a token comes from: those that are set, by key as their user wrote them."""
    return {
        option.key: option.key if option.where in parsed.settings else option.env
        for option in _CREDENTIALS
        if values[option.where] not in (None, option.parse(option.default))
    }


def names_credentials(parsed: ConfigFile) -> bool:
    """True if the file has credentials, or an address that needs none. OS_CLOUD does not count then."""
    keys = {option.key for option in _CREDENTIALS} - {"cloud", *_ADJUSTING} | {"storage_url"}
    return any(("swift", key) in parsed.settings for key in keys)


def of_cloud(
    values: Values, parsed: ConfigFile, environ: Mapping[str, str]
) -> dict[tuple[str, str], Any]:
    """The options that a cloud gives; none, and a fault is added, if it cannot be used."""
    where = ("swift", "cloud")
    name, region_name = values[where], values["swift", "region_name"]
    if not name or not values["swift", "container"] or values["swift", "storage_url"]:
        return {}
    own = credentials(values, parsed)
    if others := [own[key] for key in own if key not in ("cloud", *_ADJUSTING)]:
        what = f"the cloud {name} has credentials of its own: leave out {', '.join(others)}"
        parsed.add_option_fault(where, what)
        return {}
    from oslogserve.config.clouds import CloudError, load_cloud  # it reads YAML

    try:
        cloud = load_cloud(name, region_name, environ)
    except CloudError as error:
        parsed.add_option_fault(where, str(error))
        return {}
    return {where: cloud} | {
        option.where: getattr(cloud, option.key)
        for option in OPTIONS
        if option.section == "swift" and option.key in _ADJUSTING
        if option.where not in parsed.settings and not environ.get(option.env)
    }
