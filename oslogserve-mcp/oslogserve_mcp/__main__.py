# SPDX-License-Identifier: Apache-2.0
import sys

from oslogserve_mcp.command import main

sys.exit(main())
