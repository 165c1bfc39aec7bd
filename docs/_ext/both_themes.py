"""Shows a picture `NAME-light.png` in the light theme and `NAME-dark.png`, which lies beside it, in the dark one.

Pages name the light picture alone, as plain Markdown, so they can be read elsewhere too. Pictures are taken with two
pixels a CSS pixel, and are shown no larger than the screen they show.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

LIGHT, DARK = "-light.png", "-dark.png"


class BothThemes(SphinxTransform):
    """Puts the dark picture beside each light one, before Sphinx collects the pictures of the page."""

    default_priority = 500

    def apply(self, **options: Any) -> None:
        """Change the images of the page."""
        page = Path(self.env.doc2path(self.env.docname)).parent
        for image in list(self.document.findall(nodes.image)):
            file = page / image["uri"]
            if not file.name.endswith(LIGHT) or not file.is_file():
                continue  # Sphinx warns of what is missing
            with Image.open(file) as picture:
                image["width"] = f"{picture.width // 2}px"
            dark = image.copy()
            dark["uri"] = image["uri"].removesuffix(LIGHT) + DARK
            image["classes"].append("only-light")
            dark["classes"] = ["only-dark"]
            image.parent.insert(image.parent.index(image) + 1, dark)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_transform(BothThemes)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
