# SPDX-License-Identifier: Apache-2.0
"""Uploads a job's logs to Swift, where a server with the same configuration finds them.

Requests use the server's SwiftSession: one token for all threads, no redirects, no secrets in errors.
swiftclient's SwiftService follows links, its segments never expire, and it cannot resume large objects.
"""
