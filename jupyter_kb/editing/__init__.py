"""Guarded edits: every write names what it replaces."""
