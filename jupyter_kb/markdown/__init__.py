"""Markdown as values: bytes in, a tree of sections, links and front matter (or new bytes) out; no files, no logging."""
