"""Conversations as files: JSON keeps all there is, Markdown the shown branch to read."""
