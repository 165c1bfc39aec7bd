"""Links: what they mean, who points here, what is broken."""
