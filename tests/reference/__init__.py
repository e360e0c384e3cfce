# SPDX-License-Identifier: Apache-2.0
"""The pure renderer, which reads a line at a time and defines the output of both renderers."""
