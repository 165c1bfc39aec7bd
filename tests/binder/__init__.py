"""The Binder image."""
