# SPDX-License-Identifier: Apache-2.0
"""The Swift source: logs in containers of OpenStack Swift."""

SOURCE = "swift"
