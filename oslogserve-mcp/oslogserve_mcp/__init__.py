# SPDX-License-Identifier: Apache-2.0
"""Tools for agents that read logs, by the Model Context Protocol: `oslogserve-mcp`.

It is a client of a server, over HTTP, and imports nothing of it. `places` says which addresses it may
request, `access` what is sent with a request, `client` requests them. `tools` has the tools, with the texts of `job`,
`rows` and others in the frames of `answer`. `command` serves them by `stdio` or by `http`, with what `protocol` has for
both. What a job wrote is data, and so is what a server says: each answer says so.
"""

#: Of this release.
__version__ = "1.0.0"
