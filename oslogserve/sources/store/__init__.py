# SPDX-License-Identifier: Apache-2.0
"""The sources [store]: logs in buckets of S3, Google's or Azure's store, or of one that answers like them.

The libraries that know the credentials of each are of the extra `store`, and are imported on first use.
"""
