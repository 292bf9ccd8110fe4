"""Another machine, in the user's words: `24GB,24GB` of GPUs, `64GB` of memory."""

import re
from collections.abc import Sequence

from localspec.errors import UsageError
from localspec.models.compat import ascii_safe
from localspec.models.placement import CPU, MemoryOf, apart

_SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,15})?)\s*([KMGT]?)(i?)B?", re.IGNORECASE | re.ASCII)
_POWERS = {"": 3, "K": 1, "M": 2, "G": 3, "T": 4}
"""A number alone is in GB."""
_MOST = 2**50
_MOST_GPUS = 16


def other_machine(
    devices: Sequence[MemoryOf], gpus: str | None, ram: str | None
) -> tuple[MemoryOf, ...]:
    """`devices`, with what was said in place of what is there; `gpus` may be `none`. All of the
    memory given is taken as free. Raises UsageError."""
    kept, cpu = apart(devices)
    if gpus is not None:
        kept = _gpus(gpus)
    if ram is not None:
        size = parse_size(ram, "--ram")
        cpu = MemoryOf(CPU, "cpu", size, size)
    return (*kept, cpu)


def _gpus(text: str) -> list[MemoryOf]:
    if text.strip().lower() in ("none", "0", ""):
        return []
    sizes = [parse_size(part, "--gpu") for part in text.split(",")]
    if len(sizes) > _MOST_GPUS:
        raise UsageError(f"--gpu names {len(sizes)} GPUs; {_MOST_GPUS} can be used.")
    return [MemoryOf(f"GPU{number}", "gpu", size, size) for number, size in enumerate(sizes)]


def parse_size(text: str, option: str) -> int:
    """Bytes; GB are decimal, GiB binary. Raises UsageError."""
    match = _SIZE.fullmatch(text.strip())
    size = 0
    if match:
        size = int(float(match[1]) * (1024 if match[3] else 1000) ** _POWERS[match[2].upper()])
    if not 0 < size <= _MOST:
        raise UsageError(
            f"{option} {ascii_safe(text)}: that is no size.", "Write it as 24GB, or 24GB,24GB."
        )
    return size
