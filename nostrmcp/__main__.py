"""`python -m nostrmcp` is the same as `nostrmcp`."""

import sys

from .cli.main import main

if __name__ == "__main__":
    sys.exit(main())
