"""The keys of the chat screen."""

from __future__ import annotations

from textual.binding import Binding, BindingType

CHAT_KEYS: list[BindingType] = [
    Binding("f1", "app.help", "Help", priority=True, id="app.help"),
    Binding("f2", "toggle_spec", "Speculation", id="chat.speculation"),
    Binding("f4", "xray", "X-ray", id="chat.xray"),
    Binding("escape", "stop", "Stop", id="chat.stop"),
    Binding("ctrl+s", "sessions", "Sessions", id="chat.sessions"),
    Binding("f9,ctrl+up", "choose", "Turn", id="chat.turns"),
    # The footer of a terminal of 80 columns has no room for more.
    Binding("f3", "toggle_marks", "Marks", show=False, id="chat.marks"),
    Binding("ctrl+t", "toggle_thinking", "Thinking", show=False, id="chat.thinking"),
    Binding("ctrl+o", "models", "Models", show=False, id="chat.models"),
    Binding("f8", "settings", "Settings", show=False, id="chat.settings"),
    Binding("ctrl+n", "new", "New", show=False, id="chat.new"),
    Binding("ctrl+r", "retry", "Retry", show=False, id="chat.retry"),
    Binding("ctrl+g", "editor", "Editor", show=False, id="chat.editor"),
    Binding("f5", "restart", "Reload", show=False, id="chat.reload"),
    Binding("pageup", "scroll_page(-1)", "Page up", show=False, priority=True, id="chat.page_up"),
    Binding(
        "pagedown",
        "scroll_page(1)",
        "Page down",
        show=False,
        priority=True,
        id="chat.page_down",
    ),
    Binding("ctrl+end", "follow", "Newest", show=False, priority=True, id="chat.newest"),
]
