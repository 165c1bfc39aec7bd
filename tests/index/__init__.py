"""The index: what is in it, how it gets there, and that nothing else does."""
