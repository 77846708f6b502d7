"""`python -m fingerpost`: the command line."""

import sys

from fingerpost.cli import main

sys.exit(main())
