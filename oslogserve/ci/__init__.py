# SPDX-License-Identifier: Apache-2.0
"""What CI systems and reports say of a build: text and structures of others, each with bounds."""
