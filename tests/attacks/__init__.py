# SPDX-License-Identifier: Apache-2.0
"""Attacks on a real gunicorn with the settings that are shipped: what each costs, and what other
readers notice. Run by `python -m tests.attacks`.
"""
