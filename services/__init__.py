"""The three servers. None imports another; what they share is in `services.runtime`."""

import os

# Children are spawned while gRPC threads run; its fork handlers would break some at birth (measured).
# It is read when grpc is first imported, so it is set before any service module can do that.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

# Its C core writes lines of its own form past the log, such as one for every connection that a peer
# closed; what failed is told by the call and logged by us.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

# Its older input and output: a call costs a fifth less CPU time and passes through one thread less, so that
# eight callers get up to twice as many answers (measured with grpcio 1.85).
os.environ.setdefault("GRPC_EXPERIMENTS", "-event_engine_client,-event_engine_listener")
