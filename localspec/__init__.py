"""localspec: a terminal chat for local language models that is fast because it drafts."""

__version__ = "0.1.0"
