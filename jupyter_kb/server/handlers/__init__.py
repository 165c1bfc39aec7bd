"""What answers under `kb/`: all of it authenticated, none of it with logic of its own."""
