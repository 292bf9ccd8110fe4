"""Quantisations by name: how many bits they take, and which is the better one."""

_BITS = {
    "IQ1_S": 2.0,
    "IQ1_M": 2.15,
    "TQ1_0": 1.7,
    "TQ2_0": 2.1,
    "IQ2_XXS": 2.38,
    "IQ2_XS": 2.59,
    "IQ2_S": 2.74,
    "IQ2_M": 2.93,
    "Q2_K_S": 2.97,
    "Q2_K": 3.16,
    "IQ3_XXS": 3.25,
    "IQ3_XS": 3.50,
    "Q3_K_S": 3.64,
    "IQ3_S": 3.66,
    "IQ3_M": 3.76,
    "Q3_K_M": 4.00,
    "Q3_K_L": 4.30,
    "MXFP4": 4.60,
    "IQ4_XS": 4.46,
    "Q4_0": 4.66,
    "Q4_K_S": 4.67,
    "IQ4_NL": 4.68,
    "Q4_K_M": 4.89,
    "Q4_K_XL": 4.95,
    "Q4_1": 5.12,
    "Q5_K_S": 5.57,
    "Q5_0": 5.59,
    "Q5_K_M": 5.70,
    "Q5_1": 6.06,
    "Q6_K": 6.56,
    "Q8_0": 8.50,
    "BF16": 16.0,
    "F16": 16.0,
    "F32": 32.0,
}
"""Bits for each weight of a whole model, as llama.cpp's table has them for Llama 3.1 8B."""
USUAL = ("Q8_0", "Q6_K", "Q5_K_M", "Q4_K_M", "IQ4_XS", "Q3_K_M", "Q2_K")
"""What repositories usually hold, the best first."""


def bits(quant: str | None) -> float | None:
    """Bits for each weight; None for a name that isn't known."""
    return _BITS.get(_plain(quant))


def quality(quant: str | None) -> int:
    """Its class by whole bits, 1 to 32: two of one class differ too little to choose by. 0 for a
    name that isn't known."""
    plain = _plain(quant)
    digits = plain.lstrip("IQTBMXFP")
    if plain in ("BF16", "F16"):
        return 16
    if plain not in _BITS:
        return 0
    return 4 if plain == "MXFP4" else int(digits.partition("_")[0])


def scaled_bytes(size: int, quant: str | None, other: str) -> int | None:
    """What a model of `size` bytes in one quantisation takes in another; None if either is
    unknown."""
    of, to = bits(quant), bits(other)
    return None if of is None or to is None else int(size * to / of)


def _plain(quant: str | None) -> str:
    # Unsloth's "dynamic" files are named by the type that most of their tensors have.
    return (quant or "").upper().removeprefix("UD-").replace("-", "_")
