# SPDX-License-Identifier: Apache-2.0
"""Uploads a job's logs to Swift, where a server with the same configuration finds them.

Requests go through the server's SwiftSession: one token for all threads, no redirects, no secret in an
error. SwiftService of swiftclient follows links, lets no segment expire, and resumes no large object.
"""
