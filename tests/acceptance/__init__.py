# SPDX-License-Identifier: Apache-2.0
"""`make acceptance`: the manual's commands on a clean Debian lead to what the manual says."""
