"""The tests mirror the package: tests/markdown tests jupyter_kb/markdown."""
