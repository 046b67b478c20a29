"""The Pi side: its session files, a private agent directory, the contained tools and one RPC conversation."""
