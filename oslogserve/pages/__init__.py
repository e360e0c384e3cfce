# SPDX-License-Identifier: Apache-2.0
"""The HTML around a log's lines, a folder's listing, an error's page, and what is not a log.
Nothing here opens a log."""
