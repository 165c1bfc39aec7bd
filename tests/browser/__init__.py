"""The interface in a real browser against a real server."""
