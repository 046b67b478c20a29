"""`python -m session_executor` is `harness-session-executor`."""

import sys

from session_executor.cli import main

sys.exit(main())
