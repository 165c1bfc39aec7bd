"""Values as text and as Markdown, for every door that speaks to people."""
