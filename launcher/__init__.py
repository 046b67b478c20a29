"""`make run`: the three services on one machine, started, watched and stopped together."""
