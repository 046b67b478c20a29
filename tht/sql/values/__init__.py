"""Values and columns as Arrow holds them, and their one canonical text."""
