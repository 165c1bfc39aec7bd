"""The Model Context Protocol: the vault's operations as tools for agents; the only room that imports the SDK."""
