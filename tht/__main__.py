"""`python -m tht` is `tht`."""

import sys

from tht.cli import main

sys.exit(main())
