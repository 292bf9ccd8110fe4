"""What GGUF's numbers stand for: value layouts, tensor block sizes, names of quantisations."""

VALUE_CODES = {
    0: "B",
    1: "b",
    2: "H",
    3: "h",
    4: "I",
    5: "i",
    6: "f",
    7: "?",
    10: "Q",
    11: "q",
    12: "d",
}
"""struct's letter for each scalar type."""
STRING_TYPE = 8
ARRAY_TYPE = 9

TENSOR_BLOCKS = {
    0: (1, 4),
    1: (1, 2),
    2: (32, 18),
    3: (32, 20),
    6: (32, 22),
    7: (32, 24),
    8: (32, 34),
    9: (32, 40),
    10: (256, 84),
    11: (256, 110),
    12: (256, 144),
    13: (256, 176),
    14: (256, 210),
    15: (256, 292),
    16: (256, 66),
    17: (256, 74),
    18: (256, 98),
    19: (256, 50),
    20: (32, 18),
    21: (256, 110),
    22: (256, 82),
    23: (256, 136),
    24: (1, 1),
    25: (1, 2),
    26: (1, 4),
    27: (1, 8),
    28: (1, 8),
    29: (256, 56),
    30: (1, 2),
    34: (256, 54),
    35: (256, 66),
    39: (32, 17),
    40: (64, 36),
    41: (128, 18),
    42: (64, 18),
}
"""ggml type -> (elements in a block, bytes of a block)."""

FILE_TYPES = (  # noqa: SIM905
    "F32 F16 Q4_0 Q4_1 - - - Q8_0 Q5_0 Q5_1 Q2_K Q3_K_S Q3_K_M Q3_K_L Q4_K_S Q4_K_M Q5_K_S Q5_K_M"
    " Q6_K IQ2_XXS IQ2_XS Q2_K_S IQ3_XS IQ3_XXS IQ1_S IQ4_NL IQ3_S IQ3_M IQ2_S IQ2_M IQ4_XS IQ1_M"
    " BF16 - - - TQ1_0 TQ2_0 MXFP4 NVFP4 Q1_0 Q2_0"
).split()
"""llama.cpp's file types by number; "-" was removed from the format."""


def tensor_bytes(kind: int, elements: int) -> int:
    """0 for a type this version doesn't know: then only the offset can be checked."""
    block, size = TENSOR_BLOCKS.get(kind, (1, 0))
    return elements // block * size


def file_type_name(number: object) -> str:
    known = isinstance(number, int) and 0 <= number < len(FILE_TYPES)
    return FILE_TYPES[number] if known and isinstance(number, int) else "unknown"
