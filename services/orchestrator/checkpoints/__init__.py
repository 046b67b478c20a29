"""Continuations of Pi sessions into new commits, as a service: the library is `session_executor`."""
