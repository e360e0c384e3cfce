# SPDX-License-Identifier: Apache-2.0
"""Directives that show what the code has: options of the configuration, options of commands.

An option's explanation is the comment above it in etc/oslogserve.conf.
"""

import argparse
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.typing import ExtensionMetadata

from oslogserve.cli import _parser as parser
from oslogserve.config.options import NAMED_OPTIONS, OPTIONS, Option

SAMPLE = Path(__file__).resolve().parents[2] / "etc/oslogserve.conf"


class ConfigOptions(SphinxDirective):
    """`.. config-options:: SECTION`: all options of a section."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        section = self.arguments[0]
        self.env.note_dependency(str(SAMPLE))
        rows = [option for option in (*OPTIONS, *NAMED_OPTIONS) if option.section == section]
        if not rows:
            raise self.error(f"there is no section {section}")
        text = "\n".join(line for option in rows for line in option_as_rst(option))
        return self.parse_text_to_nodes(text)


def option_as_rst(option: Option) -> Iterator[str]:
    """The lines that describe an option."""
    comment, example = explained(option)
    name = f"{option.section} NAME" if option in NAMED_OPTIONS else option.section
    yield from (f".. confval:: [{name}] {option.key}", "", f"   {escaped(comment)}", "")
    facts = [f"Default: ``{option.default}``."] if option.default else []
    facts += [f"Takes {escaped(takes(option))}."] if takes(option) else []
    facts += [f"Example: ``{example}``."] if example else []
    facts += [f"Environment: ``{option.env}``."] if option.env else []
    yield from (f"   {' '.join(facts)}", "")


def explained(option: Option) -> tuple[str, str]:
    """The comment above an option in the sample, and a value shown there that is not the default."""
    _, _, section = SAMPLE.read_text("utf-8").partition(f"\n{header(option)}\n")
    above, found, below = section.partition(f"\n#{option.key} =")
    if not found:
        raise ValueError(f"[{option.section}] {option.key} is not in {SAMPLE}")
    lines = list(takewhile(lambda line: line.startswith("# "), reversed(above.splitlines())))
    prose = [line[2:] for line in reversed(lines) if "Where this file is silent" not in line]
    value = below.partition("\n")[0].strip()
    return " ".join(prose), "" if value == option.default else value


def header(option: Option) -> str:
    """The line of the sample that begins the option's section."""
    return f"#[{option.section} NAME]" if option in NAMED_OPTIONS else f"[{option.section}]"


def takes(option: Option) -> str:
    """What an option takes, as its parser says of a value that few take; "" for any text."""
    try:
        option.parse("(")
    except ValueError as taken:
        return re.sub(r" \(.*\)$|, not '\('", "", str(taken))
    return ""


class CommandOptions(SphinxDirective):
    """`.. command-options:: COMMAND`: the arguments and options of a command."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        command = self.arguments[0]
        self.env.note_dependency(parser.__code__.co_filename)
        lines = [f".. program:: oslogserve {command}", ""]
        found = command_parser(command)
        for action in found._actions:
            if not isinstance(action, argparse._HelpAction):
                lines += action_as_rst(action, found)
        return self.parse_text_to_nodes("\n".join(lines))


def command_parser(command: str) -> argparse.ArgumentParser:
    """The parser of `oslogserve COMMAND`."""
    found = parser()
    for word in command.split():
        (choices,) = (
            action.choices
            for action in found._actions
            if isinstance(action, argparse._SubParsersAction)
        )
        found = choices[word]
    return found


def action_as_rst(action: argparse.Action, found: argparse.ArgumentParser) -> list[str]:
    """The lines that describe an argument or an option."""
    metavar = action.metavar or "|".join(action.choices or ())
    names = [f"{name} {metavar}".strip() for name in action.option_strings] or [metavar]
    # argparse itself fills in the default.
    shown = found._get_formatter()._expand_help(action) if action.help else ""
    return [f".. option:: {', '.join(names)}", "", f"   {escaped(shown)}", ""]


def escaped(text: str) -> str:
    """Plain text as reStructuredText."""
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_directive("config-options", ConfigOptions)
    app.add_directive("command-options", CommandOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
