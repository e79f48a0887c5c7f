"""The HTTP API of a ladder."""
