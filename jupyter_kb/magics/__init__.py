"""`%kb` in a notebook: search, read and edit a vault from a kernel."""
