"""How much one text may hold, wherever it is checked. Pure."""

QUESTION_CHARACTERS = 20_000
"""Of the question a session works out."""

STEER_CHARACTERS = 100_000
"""Of a text that steers the agent."""

TITLE_CHARACTERS = 4096
"""Of the title of a question on the ledger."""

ANSWER_TEXT_BYTES = 1024 * 1024
"""In UTF-8, of one text of an answer (docs/contracts.md 5)."""
