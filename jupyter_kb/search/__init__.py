"""Search: what a query means, which sections answer it, and what to show of them."""
