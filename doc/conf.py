# SPDX-License-Identifier: Apache-2.0
"""Sphinx's settings: `make docs` builds the manual and the man pages."""

import re
import sys
from configparser import ConfigParser
from pathlib import Path

from oslogserve import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))
of_package = ConfigParser()
of_package.read(HERE.parent / "setup.cfg")

project = "oslogserve"
author = "the authors of oslogserve"
project_copyright = author
version = release = __version__
extensions = ["links"]
exclude_patterns = ["extensions", "_static"]
smartquotes = False
highlight_language = "none"

html_theme = "alabaster"
html_title = f"oslogserve {release}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_js_files = [("versions.js", {"defer": "defer"})]
templates_path = ["_templates"]
# Every version says that search engines should list the newest one.
html_baseurl = re.search(r"Documentation = (.*)", of_package["metadata"]["project_urls"])[1]
html_theme_options = {
    "description": "A web server for CI logs",
    "page_width": "72rem",
    "show_powered_by": False,
}
html_sidebars = {"**": ["about.html", "versions.html", "searchfield.html", "navigation.html"]}

man_pages = [
    ("command-line", "oslogserve", "web server for CI logs", [author], 1),
    ("sample", "oslogserve.conf", "configuration of oslogserve", [author], 5),
]
man_show_urls = False
