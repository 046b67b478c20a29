"""thothii-ask: scripts and non-Pi agents ask the reviewer of the session they work for."""
