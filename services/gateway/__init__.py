"""The gateway: REST and SSE in front of the orchestrator and the tht-executor. It keeps no state."""
