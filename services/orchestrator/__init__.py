"""The orchestrator: it supervises Pi, keeps what a session asks and tells, and serves that over gRPC."""
