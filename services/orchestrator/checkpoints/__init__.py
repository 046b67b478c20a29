"""Checkpoints over gRPC: any point of a Pi session continued into a new Git commit by `session_executor`."""
