"""`python -m jupyter_kb.cli`: the same program where its script is not installed."""

from jupyter_kb.cli import main

main()
