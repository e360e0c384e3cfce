# SPDX-License-Identifier: Apache-2.0
"""The values of all pages: a log, a folder's listing, a job, an error. Nothing here opens a log."""
