"""One short run on the machine's best device: `python -m tests.benchmarks.gpu [FOLDER]`.

Embeds the chunks of a vault (the demo vault, if none is named) as the product does, and prints as JSON the device,
the precision, chunks a second, and how near the vectors are to those of float32 on the processor. Then searches these
vectors, repeated until there are `--rows` of them, on the device and with NumPy: the median time of a product, the time
of the copy, and the largest difference of two products. Ends with 1 where that is not what rounding explains.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from jupyter_kb import embedding
from jupyter_kb.embedding.device_products import DeviceProducts
from jupyter_kb.index.matrix import Matrix
from jupyter_kb.index.vector_store import Model
from jupyter_kb.settings import Settings
from tests.benchmarks.meaning import pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from jupyter_kb.embedding.base import Embedder

DEMO = Path(__file__).parents[2] / "notebooks" / "vault"


Products = TypeVar("Products")
ROUNDING = 1e-5
"""Two products of vectors of unit length may differ by so much, whoever makes them in float32."""
_QUERIES = 30
_COPY_SECONDS = 120.0


def searched(embedder: Embedder, vectors: NDArray[np.float32], count: int) -> dict[str, float | None]:
    """Figures of so many rows, those on the device None where it gives no products; the embedder must be running."""
    rows = np.resize(vectors, (count, vectors.shape[1]))
    places = np.arange(count)
    matrix = Matrix(model=Model(number=1, key="", name=""), keys=places, slots=places, size=count, blocks=(rows,))
    queries = np.resize(vectors[::-1], (_QUERIES, vectors.shape[1]))
    device = DeviceProducts(lambda: [embedder])
    begin = time.perf_counter()
    device.products(matrix, queries[0])
    device.copied(_COPY_SECONDS)
    copy = time.perf_counter() - begin
    numpy_ms, expected = _timed(matrix.products, queries)
    device_ms, found = _timed(lambda query: device.products(matrix, query), queries)
    pairs = [(one, other[:-1]) for one, other in zip(found, expected, strict=True) if one is not None]
    if len(pairs) < len(queries):  # none at all, or not in time: then NumPy has to do it as well
        device_ms = None
    return {
        "search_rows": count,
        "search_numpy_ms": numpy_ms,
        "search_device_ms": device_ms,
        "search_answered": len(pairs) / len(queries),
        "search_copy_s": round(copy, 3) if pairs else None,
        "search_difference": max((float(np.abs(one - other).max()) for one, other in pairs), default=None),
    }


def _timed(
    multiply: Callable[[NDArray[np.float32]], Products], queries: NDArray[np.float32]
) -> tuple[float | None, list[Products]]:
    """The median of milliseconds, and what came out."""
    found, times = [], []
    for query in queries:
        begin = time.perf_counter()
        found.append(multiply(query))
        times.append(time.perf_counter() - begin)
    return round(1000 * float(np.median(times)), 3), found


def main() -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DEMO, help="a folder of notes")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda, mps")
    parser.add_argument("--dtype", default="auto", help="auto, float32, bfloat16, float16")
    parser.add_argument("--most", type=int, default=20_000, help="chunks to embed")
    parser.add_argument("--compared", type=int, default=200, help="chunks to embed on the processor, too")
    parser.add_argument("--rows", type=int, default=200_000, help="vectors to search")
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
        search = searched(device, vectors, arguments.rows)
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
        **search,
    }
    print(json.dumps(figures, indent=2))
    return 0 if (search["search_difference"] or 0.0) < ROUNDING else 1


if __name__ == "__main__":
    sys.exit(main())
