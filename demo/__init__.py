"""The demonstration: a workspace of real flights, and a scripted session about it."""
