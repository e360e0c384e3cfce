# SPDX-License-Identifier: Apache-2.0
"""From the bytes of a log to the lines of a view.

Here is what both renderers and the rest of the server use. `grammar` has the tables by which lines
are read, `pure` the renderer in Python. Nothing here knows of HTTP, files or Swift.
"""
