# SPDX-License-Identifier: Apache-2.0
"""oslogserve compared with other programs that send the same logs, in the same rounds."""
