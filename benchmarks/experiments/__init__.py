# SPDX-License-Identifier: Apache-2.0
"""Experiments with the real Swift and Keystone of tests/servers: a module for each question."""
