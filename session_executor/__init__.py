"""Continue any point of a Pi session into a new Git commit on a namespaced ref.

`session_executor.plan` freezes the inputs, `session_executor.execute` runs a frozen plan with an injected
runner, `session_executor.pi` is the runner that drives Pi, `session_executor.results` looks after what the
runs left. The command line is `harness-session-executor`.
"""
