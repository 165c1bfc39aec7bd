"""Tests of the widgets, in Python: what they do with a vault, tell the front end, and show without it."""
