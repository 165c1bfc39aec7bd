"""The pictures of the documentation: all that are shown are there, all that are there are shown, and they are small."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from docs.pictures import IMAGES, named, shrink

LARGEST, ALL = 220 * 1024, 2_500 * 1024


def test_every_picture_is_there_and_shown() -> None:
    # To take them anew: make shots
    assert {path.name for path in IMAGES.iterdir()} == named()


def test_pictures_are_small_enough_for_a_repository() -> None:
    sizes = {path.name: path.stat().st_size for path in IMAGES.iterdir()}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}
    assert sum(sizes.values()) <= ALL


def test_a_picture_keeps_its_size_and_its_colours_in_a_palette(tmp_path: Path) -> None:
    picture = Image.new("RGB", (40, 30), "#ffffff")
    picture.paste((25, 118, 210), (5, 5, 20, 20))
    picture.save(tmp_path / "taken.png")

    size = shrink(tmp_path / "taken.png", tmp_path / "small.png")

    assert size == (tmp_path / "small.png").stat().st_size
    with Image.open(tmp_path / "small.png") as small:
        assert (small.mode, small.size) == ("P", (40, 30))
        shown = small.convert("RGB").getpixel((10, 10))
        assert shown == pytest.approx((25, 118, 210), abs=2)
