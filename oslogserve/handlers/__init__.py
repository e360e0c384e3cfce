# SPDX-License-Identifier: Apache-2.0
"""What answers a checked query: a log, a folder, or what the server says of itself."""
