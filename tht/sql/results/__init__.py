"""Results that are kept: run once, shown in pages, sorted and filtered."""
