# SPDX-License-Identifier: Apache-2.0
"""The elements of a page, as a browser reads them."""

from html.parser import HTMLParser


class Elements(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def elements(text, wanted):
    """Attributes of the elements of a tag."""
    return [attrs for tag, attrs in Elements(text).found if tag == wanted]


def shape(text):
    """The tags of a page."""
    return [tag for tag, _ in Elements(text).found]
