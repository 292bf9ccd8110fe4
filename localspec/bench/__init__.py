"""Measuring speculation against plain decoding, fairly."""
