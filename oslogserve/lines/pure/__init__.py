# SPDX-License-Identifier: Apache-2.0
"""The pure renderer: the definition of what the native one does, a line at a time."""
