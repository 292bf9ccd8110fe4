"""How far apart two colours look, to whom: WCAG's contrast, and differences in CIELAB.

Colour-blind eyes are simulated with the matrices of Machado, Oliveira and Fernandes (2009), at full
severity, on linear light.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

EYES: dict[str, Vector] = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _TO_XYZ.sum(axis=1)


def contrast(first: tuple[int, int, int], second: tuple[int, int, int]) -> float:
    """From 1 to 21."""
    low, high = sorted(float(_TO_XYZ[1] @ _linear(color)) for color in (first, second))
    return (high + 0.05) / (low + 0.05)


def difference(first: tuple[int, int, int], second: tuple[int, int, int], eyes: str) -> float:
    """Distance in CIELAB; 2.3 is just noticeable side by side."""
    return float(np.linalg.norm(_lab(first, eyes) - _lab(second, eyes)))


def _linear(color: tuple[int, int, int]) -> Vector:
    share = np.array(color) / 255
    linear: Vector = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return linear


def _lab(color: tuple[int, int, int], eyes: str) -> Vector:
    seen = np.clip(EYES[eyes] @ _linear(color), 0.0, 1.0)
    ratio = _TO_XYZ @ seen / _WHITE
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])
