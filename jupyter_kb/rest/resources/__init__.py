"""The resources of the API, one module each; together their routes are the table that everything else is made from."""

from __future__ import annotations

from jupyter_kb.rest.resources import outline, search, section, status
from jupyter_kb.rest.route import Route

ROUTES: tuple[Route, ...] = tuple(
    found
    for module in (status, search, outline, section)
    for found in vars(module).values()
    if isinstance(found, Route)
)
