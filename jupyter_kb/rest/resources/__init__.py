"""The resources of the API, a module each; `rest/table.py` puts their routes together."""
