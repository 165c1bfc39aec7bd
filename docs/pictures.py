"""Takes over the pictures that the documentation shows from those that the browser tests took, and makes them small.

    python docs/pictures.py FOLDER      `make shots` does both

A picture is used where a page names it, as `images/NAME-light.png`; that of the dark theme goes with it. It gets a
palette of its own, by which a picture of the whole window becomes a third of its size and no pixel in a million changes
visibly.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
COLOURS = 256
# Left, top, right and bottom of what a page shows of a whole window, in the picture's pixels.
PARTS = {"wikilink-completion": (580, 130, 2240, 1010), "hover-card": (580, 130, 2400, 960)}

_NAMED = re.compile(r"images/([\w-]+\.png)")


def named() -> set[str]:
    """The pictures that the README and the pages show, in both themes."""
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    light = {name for page in pages for name in _NAMED.findall(page.read_text(encoding="utf-8"))}
    return light | {name.replace("-light.", "-dark.") for name in light}


def shrink(source: Path, target: Path) -> int:
    """Write a picture with a palette of its own; its size in bytes."""
    part = PARTS.get(target.stem.removesuffix("-light").removesuffix("-dark"))
    with Image.open(source) as whole:
        picture = whole.crop(part) if part else whole
        small = picture.convert("RGB").quantize(COLOURS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        small.save(target, optimize=True)
    return target.stat().st_size


def main() -> int:
    """0 if every picture that the pages show was taken."""
    taken = Path(sys.argv[1])
    missing = []
    for name in sorted(named()):
        if (taken / name).is_file():
            print(f"{shrink(taken / name, IMAGES / name) / 1024:6.0f} kB  {name}")
        else:
            missing.append(name)
    for name in missing:
        print(f"no test took {name}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
