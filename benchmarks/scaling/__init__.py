# SPDX-License-Identifier: Apache-2.0
"""The figures of doc/scaling.rst: what a request costs, and what readers need by that."""
