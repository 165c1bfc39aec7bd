"""One short run on the machine's best device: `python -m tests.benchmarks.gpu [FOLDER]`.

Embeds the chunks of a vault (the demo vault, if none is named) as the product does, and prints as JSON the device,
the precision, chunks a second, and how near the vectors are to those of float32 on the processor.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from jupyter_kb import embedding
from jupyter_kb.settings import Settings
from tests.benchmarks.meaning import pieces

DEMO = Path(__file__).parents[2] / "notebooks" / "vault"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DEMO, help="a folder of notes")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, mps")
    parser.add_argument("--dtype", default="auto", help="auto, float32, bfloat16, float16")
    parser.add_argument("--most", type=int, default=20_000, help="chunks to embed")
    parser.add_argument("--compared", type=int, default=200, help="chunks to embed on the processor, too")
    arguments = parser.parse_args()
    texts = pieces(arguments.folder, arguments.most)
    device = embedding.create(Settings(device=arguments.device, dtype=arguments.dtype))
    processor = embedding.create(Settings(device="cpu", dtype="float32"))
    assert device is not None
    assert processor is not None
    try:
        begin = time.perf_counter()
        device.embed(texts[:8], "passage")
        start = time.perf_counter() - begin
        begin = time.perf_counter()
        vectors = device.embed(texts, "passage")
        wall = time.perf_counter() - begin
        compared = texts[:: max(1, len(texts) // arguments.compared)]
        reference = processor.embed(compared, "passage")
        cosines = (vectors[:: max(1, len(texts) // arguments.compared)] * reference).sum(axis=1)
        info = device.info
    finally:
        device.close()
        processor.close()
    assert info is not None
    figures = {
        "model": info.name,
        "device": info.device,
        "dtype": info.dtype,
        "chunks": len(texts),
        "chunks_per_s": round(len(texts) / wall, 1),
        "start_s": round(start, 2),
        "cosine_least": round(float(np.min(cosines)), 5),
        "cosine_mean": round(float(np.mean(cosines)), 6),
    }
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
