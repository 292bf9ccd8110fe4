"""Whoever answers: this process, a child process, later a remote server. One interface."""
