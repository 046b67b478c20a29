"""Text of others on a person's terminal: it must not be able to move the cursor or hide itself."""

import re

# C0 and C1 controls other than tab and line feed, bidirectional controls, lone surrogates.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def clean(text: str) -> str:
    """`text` without what a terminal obeys; each such character becomes U+FFFD."""
    return _UNSAFE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def one_line(text: str, length: int = 200) -> str:
    """`text` cleaned, on one line of at most `length` characters."""
    flat = " ".join(clean(text).split())
    return flat if len(flat) <= length else flat[: length - 1] + "…"
