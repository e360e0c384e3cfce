# SPDX-License-Identifier: Apache-2.0
"""`oslogserve bench get` held against a server that knows its delays, and against wrk. Run by
`python -m tests.accuracy`.
"""
