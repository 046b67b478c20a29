"""`thothii`, the terminal client: it speaks only REST and SSE to a gateway."""
