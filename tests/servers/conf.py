# SPDX-License-Identifier: Apache-2.0
"""Configuration files in INI format."""

import configparser


def write_conf(path, sections):
    """Write {section: {option: value}}; values stand as they are, without interpolation."""
    parser = configparser.RawConfigParser(default_section="\0")  # [DEFAULT] is one of ours
    parser.optionxform = str
    parser.read_dict(sections)
    with open(path, "w", encoding="utf-8") as file:
        parser.write(file)
