# SPDX-License-Identifier: Apache-2.0
"""Reads the XML in which stores list objects."""

import io
from collections.abc import Collection
from xml.etree import ElementTree


class Rows:
    """The rows of a page of a listing, and what stands beside them."""

    def __init__(self, body: bytes, names: Collection[str]) -> None:
        """names: of the elements that are rows. Raises ValueError for what is no XML."""
        #: The name of each row's element, and the text of the elements in it.
        self.rows: list[tuple[str, dict[str, str]]] = []
        # What jobs wrote is text in it; the XML itself is the store's, which is trusted.
        try:
            for _, element in ElementTree.iterparse(io.BytesIO(body)):  # noqa: S314
                name = _name(element)
                if name in names:
                    self.rows.append((name, _texts(element)))
                    element.clear()
        except ElementTree.ParseError as error:
            raise ValueError("a listing is no XML") from error
        #: The text of elements that are in no row: the last element is the one around all.
        self.beside = _texts(element)


def _texts(element: ElementTree.Element) -> dict[str, str]:
    """The text of an element and of those in it, by their names."""
    texts: dict[str, str] = {}
    for one in element.iter():
        texts.setdefault(_name(one), one.text or "")
        if one.get("Encoded") == "true":
            texts["Encoded"] = _name(one)
    return texts


def _name(element: ElementTree.Element) -> str:
    """The name without its namespace."""
    return element.tag.rpartition("}")[2]
