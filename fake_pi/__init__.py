"""A Pi that plays a scenario: Pi 1.6.0's RPC mode without a model."""
