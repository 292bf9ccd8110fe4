"""Text from a model, a file or a paste, made safe to draw."""

# Escape starts a terminal command, the bidirectional controls reorder what is read, and a lone
# surrogate can't be written at all. Tab and newline are the only controls with a picture.
_UNSAFE = {
    code: None
    for span in (
        range(0x09),
        range(0x0B, 0x20),
        range(0x7F, 0xA0),
        range(0x202A, 0x202F),
        range(0x2066, 0x206A),
        range(0xD800, 0xE000),
    )
    for code in span
}


def displayable(text: str) -> str:
    """The text without what a terminal would obey."""
    return text.translate(_UNSAFE)
