# SPDX-License-Identifier: Apache-2.0
"""Uploads to the buckets of [store]: all that only a writer of them needs."""
