"""Text around the engine: templates, whole characters, stop strings, events, history."""
