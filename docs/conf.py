"""Sphinx settings for the documentation."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from jupyter_kb import __version__

project = "jupyter-kb"
author = "jupyter_kb developers"
copyright = f"2026, {author}"
version = release = __version__

extensions = ["myst_parser", "sphinx_copybutton", "click_help"]
extensions += ["both_themes", "kb_configuration", "kb_interface", "kb_reference", "kb_widgets"]
exclude_patterns = ["_build", "_ext"]
nitpicky = True

myst_enable_extensions = ["deflist", "fieldlist"]
myst_heading_anchors = 3
copybutton_prompt_text = r"\$ |> "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = f"jupyter-kb {release}"
_ALONE = ("index", "changelog", "contributing", "search", "genindex", "tutorials/*")  # pages without neighbours
html_sidebars: dict[str, list[str]] = {page: [] for page in _ALONE}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_end": ["theme-switcher"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_context = {"default_mode": "light"}
html_show_sourcelink = False
smartquotes = False  # options keep their two hyphens
