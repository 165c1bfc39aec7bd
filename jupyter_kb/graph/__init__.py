"""What links mean: resolving them, who points here, and what is broken."""
