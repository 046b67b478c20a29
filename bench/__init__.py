"""Benchmarks: each prints a table of ratios to a limit or to a peer, measured in one run."""
