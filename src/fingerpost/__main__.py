"""`python -m fingerpost`: the command line."""

import sys

from fingerpost.cli.main import main

sys.exit(main())
