# SPDX-License-Identifier: Apache-2.0
"""HTML templates that escape what fills them."""

import re
from collections.abc import Callable, Iterable
from importlib import resources

from markupsafe import Markup, escape

_NAMESPACE = {
    "Markup": Markup,
    "escape": escape,
    "is_special": re.compile("[&<>\"']").search,
    "new": str.__new__,
    "SAFE": frozenset({Markup, int}),
}


def template(html: str) -> Callable[..., Markup]:
    """A function that fills the places of the HTML: template("<b>{name}</b>")(name="a.txt").

    It escapes all that is not Markup or an int, as Markup.format does. It is compiled, as
    namedtuple's methods are, to take a tenth of the time: a page has some twenty templates, and
    most of what fills them has nothing to escape.
    """
    names = dict.fromkeys(re.findall(r"\{(\w+)", html))
    source = [f"def fill(*, {', '.join(names)}):"]
    for name in names:
        source.append(f"  if type({name}) not in SAFE and is_special({name}):")
        source.append(f"    {name} = escape({name})")
    source.append(f"  return new(Markup, f{html!r})")
    functions: dict[str, Callable[..., Markup]] = {}
    exec("\n".join(source), _NAMESPACE, functions)  # noqa: S102 (of this package's constants)
    return functions["fill"]


def text_of(name: str) -> str:
    """The text of a file of templates. Comments are left out, and an indented line goes on with the
    one above."""
    text = resources.files("oslogserve").joinpath(f"templates/{name}.html").read_text()
    return re.sub(r"<!--.*?-->\n|\n +", "", text, flags=re.DOTALL)


def template_of(*names: str) -> Callable[..., Markup]:
    """The template of these files, one behind the other."""
    return template("".join(map(text_of, names)).removesuffix("\n"))


def join(texts: Iterable[str], between: str = "") -> Markup:
    """All texts as one; those that are not Markup are escaped."""
    safe = [text if type(text) is Markup else escape(text) for text in texts]
    return str.__new__(Markup, between.join(safe))
