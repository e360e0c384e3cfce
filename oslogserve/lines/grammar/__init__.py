# SPDX-License-Identifier: Apache-2.0
"""The grammar of a line's head, as tables that the native core reads."""
