# SPDX-License-Identifier: Apache-2.0
"""What surrounds the lines: the log's page, a folder's listing, an error's page; and which
view a stored file gets. Nothing here opens a log."""
