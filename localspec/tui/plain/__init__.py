"""The chat by lines: numbered turns, nothing drawn twice, as screen readers want it."""
