# SPDX-License-Identifier: Apache-2.0
"""Reads the XML in which stores list objects. Only text of elements is kept, never a tree."""

from collections.abc import Collection
from typing import Any
from xml.parsers import expat

#: Elements of a page: each of Azure's 5000 rows has some 25.
MOST_ELEMENTS = 250_000


class Rows:
    """The rows of a page of a listing, and what stands beside them."""

    def __init__(self, body: bytes, names: Collection[str]) -> None:
        """names: of the elements that are rows. Raises ValueError for what is no XML, or too much."""
        #: The name of each row's element, and the text of the elements in it.
        self.rows: list[tuple[str, dict[str, str]]] = []
        #: The text of elements that are in no row.
        self.beside: dict[str, str] = {}
        self._names = names
        self._row: dict[str, str] | None = None
        self._text: list[str] = []
        self._left = MOST_ELEMENTS
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._document_type
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._text.append
        try:
            parser.Parse(body, True)
        except expat.ExpatError as error:
            raise ValueError("a listing is no XML") from error

    def _document_type(self, *_: Any) -> None:
        raise ValueError("entities could expand without end")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._left -= 1
        if self._left < 0:
            raise ValueError("no listing has as many elements")
        self._text.clear()
        if name in self._names:
            self._row = {}
            self.rows.append((name, self._row))
        elif self._row is not None and attributes.get("Encoded") == "true":
            self._row["Encoded"] = name

    def _end(self, name: str) -> None:
        if name in self._names:
            self._row = None
        else:
            within = self.beside if self._row is None else self._row
            within.setdefault(name, "".join(self._text))
        self._text.clear()
