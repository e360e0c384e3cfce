# SPDX-License-Identifier: Apache-2.0
"""What the tests ask of a page in the browser."""

import pytest

#: Parameters of a fixture: with scripts, and without.
WITH_SCRIPTS = [
    pytest.param(True, id="scripts"),
    pytest.param(False, id="no scripts", marks=pytest.mark.long),
]


def is_in_view(page, selector):
    """True if the element stands below the bar and above the window's end."""
    box = page.locator(selector).bounding_box()
    header = page.locator("header").bounding_box()
    return header["height"] - 1 <= box["y"] < page.viewport_size["height"]
