"""How fast a GPU reads its memory, by its name, as makers state it."""

from __future__ import annotations

from localspec.models.placement import MemoryOf

_GB_PER_SECOND = {
    "H200": 4800,
    "H100": 3350,
    "A100": 1555,
    "A6000": 768,
    "L40": 864,
    "A10": 600,
    "T4": 320,
    "5090": 1792,
    "5080": 960,
    "5070 TI": 896,
    "5070": 672,
    "5060 TI": 448,
    "4090": 1008,
    "4080": 717,
    "4070 TI SUPER": 672,
    "4070": 504,
    "4060 TI": 288,
    "4060": 272,
    "3090": 936,
    "3080": 760,
    "3070": 448,
    "3060": 360,
    "2080": 448,
    "2070": 448,
    "2060": 336,
    "1080 TI": 484,
    "1080": 320,
    "1070": 256,
    "1060": 192,
    "MI300": 5300,
    "7900 XTX": 960,
    "7900 XT": 800,
    "7800 XT": 624,
    "6900 XT": 512,
    "6800 XT": 512,
    "6700 XT": 384,
    "9070": 640,
    "ARC B580": 456,
    "ARC A770": 560,
    "M4 MAX": 546,
    "M4 PRO": 273,
    "M4": 120,
    "M3 ULTRA": 819,
    "M3 MAX": 400,
    "M3 PRO": 150,
    "M3": 100,
    "M2 ULTRA": 800,
    "M2 MAX": 400,
    "M2 PRO": 200,
    "M2": 100,
    "M1 ULTRA": 800,
    "M1 MAX": 400,
    "M1 PRO": 200,
    "M1": 68,
}
_BY_MEMORY = ((40, 1500), (20, 900), (14, 500), (10, 360), (0, 250))
"""GB of a GPU that isn't known -> what such cards read at least, mostly."""


def gpu_bandwidth(device: MemoryOf, description: str, system: float) -> float:
    """Bytes a second; `system` is what the system's memory gives, which an integrated GPU that
    isn't known shares, and which a network is no faster than."""
    name = description.upper()
    known = [key for key in _GB_PER_SECOND if key in name]
    if known:
        return _GB_PER_SECOND[max(known, key=len)] * 1e9
    if device.kind != "gpu":
        return system
    size = device.total / 1e9
    return next(speed for least, speed in _BY_MEMORY if size >= least) * 1e9
