# SPDX-License-Identifier: Apache-2.0
import sys

from oslogserve.cli import main

sys.exit(main())
