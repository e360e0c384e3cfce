# SPDX-License-Identifier: Apache-2.0
"""A job's logs into Swift, where the server's configuration looks for them.

Requests go through the server's SwiftSession, which shares one token, follows no redirect and puts no
secret into an error. swiftclient's SwiftService opens files by name, through links; its segments never
expire; of a large object that was interrupted it uploads everything again.
"""
