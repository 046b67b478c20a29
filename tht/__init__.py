"""Sessions, approvals and read-only SQL: one code path for the command line, the worker and the executor."""
