"""The speculative loop. Token ids only: no text, no tokenizer, no llama.cpp."""
