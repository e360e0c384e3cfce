# SPDX-License-Identifier: Apache-2.0
"""The command: `oslogserve`, or `python -m oslogserve`."""

import os
import sys


def main() -> int:
    """The exit status. Ctrl-C is quiet, also while the modules are imported."""
    try:
        from oslogserve import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130
    except ImportError as error:
        print(f"oslogserve: {error}", file=sys.stderr)
        return 2
    finally:
        # What could not be written Python would try to write once more at its exit, and complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    sys.exit(main())
