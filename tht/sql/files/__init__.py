"""Rows as a file."""
