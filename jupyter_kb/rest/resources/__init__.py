"""The resources of the API, a module each. Requests are matched against the table of their routes, and the API document
is made from it.
"""

from __future__ import annotations

from jupyter_kb.rest import openapi
from jupyter_kb.rest.resources import links, notes, outline, rendering, search, section, status, upkeep
from jupyter_kb.rest.route import Route

ROUTES: tuple[Route, ...] = tuple(
    found
    for module in (openapi, status, search, notes, outline, section, links, upkeep, rendering)
    for found in vars(module).values()
    if isinstance(found, Route)
)
