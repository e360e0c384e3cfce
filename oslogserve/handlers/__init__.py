# SPDX-License-Identifier: Apache-2.0
"""Handlers of checked queries: for a log, a folder, a job, and the server itself."""
