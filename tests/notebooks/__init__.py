"""The demo notebooks, run whole."""
