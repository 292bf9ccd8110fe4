"""Files that go with the next message: attached to it, or what its reply is expected to be."""

from __future__ import annotations

from dataclasses import dataclass, field

from localspec.chat.attachment import attached, read_text


@dataclass(slots=True)
class Handed:
    """Path to text. Each method that changes it says in a sentence what holds now."""

    _attached: dict[str, str] = field(default_factory=dict)
    _predicted: dict[str, str] = field(default_factory=dict)

    @property
    def files(self) -> dict[str, str]:
        """What is to be attached."""
        return dict(self._attached)

    def attach(self, path: str) -> str:
        """One more file; nothing changes without a path, `off` takes all back. Raises
        UsageError."""
        _hand(path, self._attached)
        if not self._attached:
            return "No file is attached; /file FILE attaches one to the next message."
        return f"With the next message: {', '.join(self._attached)}; /file off takes it back."

    def predict(self, path: str) -> str:
        """The same for a text that the reply is expected to repeat. Raises UsageError."""
        _hand(path, self._predicted)
        if not self._predicted:
            return "Nothing is predicted but code blocks; /predict FILE predicts a file's text."
        return (
            f"Predicted as the next reply: {', '.join(self._predicted)}; /predict off forgets it."
        )

    def with_attached(self, message: str) -> str:
        """The message with its files, which stay for the next one."""
        for path, text in self._attached.items():
            message = attached(message, path, text)
        return message

    def take_attached(self, message: str) -> str:
        """The message with its files, which are attached once."""
        message = self.with_attached(message)
        self._attached.clear()
        return message

    @property
    def predicted(self) -> tuple[str, ...]:
        return tuple(self._predicted.values())

    def take_predicted(self) -> tuple[str, ...]:
        """The texts for the reply that is asked for now."""
        texts = self.predicted
        self._predicted.clear()
        return texts


def _hand(path: str, texts: dict[str, str]) -> None:
    if path == "off":
        texts.clear()
    elif path:
        path = path.strip("\"'")
        texts[path] = read_text(path)
