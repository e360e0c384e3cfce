# SPDX-License-Identifier: Apache-2.0
"""Experiments on oslogserve with the real Swift and Keystone of tests/servers, measured from outside."""
