"""Models that turn texts into vectors, and models that judge how well a text answers a query."""
