"""A knowledge base that lives inside Jupyter: find the exact section of a note, and edit it back safely."""

__version__ = "0.1.0"
