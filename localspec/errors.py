"""The one family of errors that users see: each is a sentence and what to do next."""


class LocalspecError(Exception):
    """A failure that the user can act on: shown as one line, without a traceback."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(LocalspecError):
    """The command was given something it can't take."""

    exit_code = 2


class UnknownModel(UsageError):
    """A name that neither the catalog nor the disk knows."""


class NotPulled(LocalspecError):
    """A known model whose files are not, or not all, on this disk."""


class PairMismatch(LocalspecError):
    """Target and draft don't share a tokenizer, so no draft could be checked."""


class BrokenModelFile(LocalspecError):
    """A file that is missing, truncated, not GGUF, or not a language model."""


class NotEnoughSpace(LocalspecError):
    """The files don't fit on the disk."""


class SourceUnreachable(LocalspecError):
    """No connection to the place that serves the files."""


class DownloadFailed(LocalspecError):
    """The place that serves the files refused, or served something else."""


class NotOnHub(DownloadFailed):
    """The hub answered that there is no such repository, revision or file."""


class TooManyRequests(DownloadFailed):
    """The hub wants to be left alone for a while."""


class ContextTooSmall(LocalspecError):
    """The prompt leaves no room for a reply."""


class TemplateFailed(LocalspecError):
    """The model's chat template refused the conversation."""


class NativeFailure(LocalspecError):
    """llama.cpp could not do what was asked; its log says why."""


class OutOfMemory(NativeFailure):
    """Too little memory, of the system or a device, for what was asked."""
