"""What every part of ThothII agrees on. Pure: no I/O, no third-party import."""
