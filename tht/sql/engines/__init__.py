"""One file for each engine; `base` holds what they share."""
