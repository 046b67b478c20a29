"""Whether a text may run: told from the text alone, by lexical rules, allow lists and a parse tree. Pure."""
