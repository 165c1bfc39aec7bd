"""Search: by words, by headings, by exact characters."""
