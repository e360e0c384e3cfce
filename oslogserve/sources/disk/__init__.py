# SPDX-License-Identifier: Apache-2.0
"""The disk source: logs below a folder on this machine."""
