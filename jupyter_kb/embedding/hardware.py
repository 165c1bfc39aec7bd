"""What the model's process computes with: device, number format, threads. Imports torch only where it is asked to."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_kb.errors import ModelFailedError

if TYPE_CHECKING:
    import torch

_DEVICE = re.compile(r"cpu|mps|(cuda|rocm)(:\d{1,3})?")
_FORMATS = ("float32", "bfloat16", "float16")


def processors() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def threads(wanted: int) -> int:
    """So many, or for 0 all processors but one, so that the machine stays usable."""
    return wanted if wanted > 0 else max(processors() - 1, 1)


def prepare(threads: int) -> None:
    """Set the environment of a process that will hold a model; before torch and transformers are imported."""
    # Threads that wait do so asleep: where another program runs on one of their processors, those that wait turning
    # take the time of those that they wait for, and all is ten times as slow.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # A kernel is kept for each shape of a matrix, and shapes have no end: half a gigabyte of them after some minutes.
    # The layers of a model use some twenty again and again.
    os.environ.setdefault("LRU_CACHE_CAPACITY", "64")  # each thread has its own
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(min(64 * threads, 1_024)))
    os.environ.update(
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        HF_HUB_DISABLE_PROGRESS_BARS="1",
        TRANSFORMERS_VERBOSITY="error",
        TOKENIZERS_PARALLELISM="true" if threads > 1 else "false",
        RAYON_NUM_THREADS=str(threads),
        OMP_NUM_THREADS=str(threads),
    )


def device(wanted: str) -> torch.device:
    """`auto`: CUDA or ROCm (which torch calls `cuda` too), else MPS, else the CPU.

    Raises
    ------
    ModelFailedError : this machine, or this build of torch, has no such device.
    """
    import torch

    if wanted == "auto":
        kind = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
        return torch.device(kind)
    if not _DEVICE.fullmatch(wanted):
        raise ModelFailedError(
            f"there is no device called {wanted!r}", hint="set `device` to auto, cpu, cuda, cuda:1 or mps"
        )
    chosen = torch.device(wanted.replace("rocm", "cuda"))
    there = {
        "cpu": True,
        "cuda": torch.cuda.is_available() and (chosen.index or 0) < torch.cuda.device_count(),
        "mps": torch.backends.mps.is_available(),
    }
    if not there[chosen.type]:
        raise ModelFailedError(
            f"torch {torch.__version__} finds no device {wanted!r} here",
            hint="set `device` to auto or cpu, or install a torch that is built for the device",
        )
    return chosen


def is_gpu(chosen: torch.device) -> bool:
    """Whether it has memory and many processors of its own (MPS shares the memory)."""
    return chosen.type in ("cuda", "mps")


def is_out_of_memory(error: RuntimeError) -> bool:
    """Whether a device had no room. `torch.OutOfMemoryError` is CUDA's; other devices have no kind of their own."""
    import torch

    text = str(error).lower()
    return isinstance(error, torch.OutOfMemoryError) or "out of memory" in text or "can't allocate memory" in text


def free(chosen: torch.device) -> None:
    """Give back what torch keeps of a device's memory and does not use."""
    import torch

    if chosen.type == "cuda":
        torch.cuda.empty_cache()
    elif chosen.type == "mps":
        torch.mps.empty_cache()


def described(chosen: torch.device) -> str:
    """The device for people: `cpu`, `cuda (NVIDIA H200)`, `cuda (ROCm, AMD Instinct MI300X)`."""
    import torch

    if chosen.type != "cuda":
        return str(chosen)
    name = torch.cuda.get_device_name(chosen)
    return f"{chosen} (ROCm, {name})" if torch.version.hip else f"{chosen} ({name})"


def number_format(wanted: str, chosen: torch.device) -> torch.dtype:
    """`auto`: float16 on GPUs; on CPUs that multiply bfloat16 in hardware that, which halves the time; else float32."""
    import torch

    if wanted == "auto":
        wanted = "float16" if chosen.type != "cpu" else "bfloat16" if _has_bfloat16() else "float32"
    if wanted not in _FORMATS:
        raise ModelFailedError(
            f"there is no number format {wanted!r}", hint="set `dtype` to auto, float32, bfloat16 or float16"
        )
    format: torch.dtype = getattr(torch, wanted)
    return format


def _has_bfloat16() -> bool:
    """AVX512-BF16 or AMX, by the processor's own word where the system tells it. Elsewhere torch emulates, slowly."""
    import torch

    vectorised = torch.backends.cpu.get_cpu_capability().startswith("AVX512")  # which the environment can forbid
    if not vectorised or not torch.backends.mkldnn.is_available():  # type: ignore[no-untyped-call]
        return False
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return bool(getattr(torch.cpu, "_is_avx512_bf16_supported", lambda: False)())
    flags = next((line.split() for line in lines if line.startswith("flags")), [])
    return "avx512_bf16" in flags or "amx_bf16" in flags
