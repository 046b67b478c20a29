"""The tht-executor: warm `tht` workers behind gRPC, for the sessions and the SQL of the other services."""
