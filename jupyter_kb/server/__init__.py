"""The door for browsers and agents: an extension of the Jupyter server, on its own port and under its own rights."""
