# SPDX-License-Identifier: Apache-2.0
"""Links between the manual's files, as a code hosting site follows them: `text <urls.rst#ranges>`__.

Sphinx takes such a link for one to another site. Here it leads to the page, and one to a file outside
of the manual to a copy of that file. A link that leads nowhere is a warning.
"""

from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.typing import ExtensionMetadata

logger = logging.getLogger(__name__)


def relative_links(doctree: nodes.document) -> list[nodes.reference]:
    return [
        node
        for node in doctree.findall(nodes.reference)
        if "refuri" in node and ":" not in node["refuri"] and not node.get("internal")
    ]


def add_files(app: Sphinx, doctree: nodes.document) -> None:
    """Makes downloads of the links to files outside of the manual."""
    for link in relative_links(doctree):
        if not link["refuri"].startswith("../"):
            continue
        relative, path = app.env.relfn2path(link["refuri"], app.env.docname)
        if not Path(path).is_file():
            logger.warning("a link to %s, which is not there", link["refuri"], location=link)
            continue
        app.env.note_dependency(relative)
        name = app.env.dlfiles.add_file(app.env.docname, relative).as_posix()
        download = addnodes.download_reference("", "", *link.children, filename=name)
        link.replace_self(download)


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Leads the links to other pages there."""
    for link in relative_links(doctree):
        file, hash_sign, place = link["refuri"].partition("#")
        if file.startswith("_static/") and Path(app.srcdir, file).is_file():
            continue  # it is copied as it is
        target = file.removesuffix(".rst")
        if target not in app.env.found_docs:
            logger.warning("a link to %s, which is not there", link["refuri"], location=link)
            continue
        if place and not has_place(app, target, place):
            logger.warning("%s has no section %s", file, place, location=link)
        if app.builder.name == "man":
            link.replace_self(link.children)
            continue
        link["refuri"] = app.builder.get_relative_uri(docname, target) + hash_sign + place
        link["internal"] = True


def has_place(app: Sphinx, docname: str, place: str) -> bool:
    sections = app.env.get_doctree(docname).findall(nodes.section)
    return any(place in section["ids"] for section in sections)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("doctree-read", add_files)
    app.connect("doctree-resolved", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
