# SPDX-License-Identifier: Apache-2.0
"""What several tests use: the asker of all ways to a log, answers as they are read, and logs to ask."""
