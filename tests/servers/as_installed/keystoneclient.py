# SPDX-License-Identifier: Apache-2.0
"""Is not there where oslogserve is installed; swiftclient and keystoneauth would load it."""

raise ImportError("only Swift and Keystone of the tests have it")
