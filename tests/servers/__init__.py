# SPDX-License-Identifier: Apache-2.0
"""Real Swift and Keystone servers for the tests, on loopback and free ports.

Each server is a child process with this interpreter, keeps all it writes below
one directory, and dies with the process that started it.
"""
