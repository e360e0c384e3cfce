# SPDX-License-Identifier: Apache-2.0
"""The figures of doc/scaling.rst: the costs of requests, and the capacity that readers need."""
