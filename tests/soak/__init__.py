# SPDX-License-Identifier: Apache-2.0
"""Readers of many logs while Swift's servers are restarted and tokens expire all the time: no
body may be wrong without saying so. Run by `python -m tests.soak`.
"""
