"""``python -m skald``: the command ``skald``."""

import sys

from .command import main

sys.exit(main())
