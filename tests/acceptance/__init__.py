# SPDX-License-Identifier: Apache-2.0
"""`make acceptance`: README's and the manual's commands on a bare Debian lead to what they say."""
