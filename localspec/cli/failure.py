"""Failures become one line on stderr and an exit code."""

import os
import sys

import typer
from typer.exceptions import Abort, TyperException

from localspec.credentials import redacted
from localspec.errors import LocalspecError, UsageError

INTERRUPTED = 130
_WIDEST = 1000
"""Columns or lines of a terminal."""


def printable(text: str) -> str:
    """Text from outside without what a terminal would obey."""
    return "".join(char if char.isprintable() or char in "\n\t" else "�" for char in text)


def exit_on_failure(app: typer.Typer, args: list[str], debug: bool) -> int:
    """Run the app; return its exit code. With `debug` the traceback is shown too."""
    try:
        result = app(args, standalone_mode=False)
        sys.stdout.flush()
    except (Abort, KeyboardInterrupt):
        return _failed("interrupted", INTERRUPTED, debug=False)
    except LocalspecError as error:
        return _failed(str(error), error.exit_code, debug)
    except TyperException as error:
        return _failed(error.format_message(), UsageError.exit_code, debug)
    except (BrokenPipeError, SystemExit) as error:
        return _reader_left() if _is_broken_pipe(error) else _code_of(error)
    except OSError as error:
        what = f"{error.filename}: " if error.filename else "The output could not be written: "
        return _output_lost(_failed(f"{what}{error.strerror or error}.", 1, debug))
    except Exception as error:
        report = "Run it again with --debug and report what it shows."
        return _failed(f"Unexpected failure: {type(error).__name__}: {error}. {report}", 1, debug)
    if result == INTERRUPTED:
        return _failed("interrupted", INTERRUPTED, debug=False)
    return result if isinstance(result, int) else 0


def _is_broken_pipe(error: BaseException) -> bool:
    # Typer turns a broken pipe into SystemExit.
    return isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError)


def _code_of(error: BaseException) -> int:
    code = getattr(error, "code", 1)
    return code if isinstance(code, int) else 1


def _reader_left() -> int:
    """`| head` closed the pipe: nothing is left to say, nor to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _failed(message: str, code: int, debug: bool) -> int:
    if debug:
        import traceback

        say(redacted(traceback.format_exc()).rstrip())
    say(f"localspec: {' '.join(printable(redacted(message)).split())}")
    return code


def say(line: str) -> None:
    """A line on stderr; a stderr that can't be written must not cost the work."""
    try:
        print(line, file=sys.stderr, flush=True)  # noqa: T201
    except OSError:
        return


def _output_lost(code: int) -> int:
    """Python would try to flush what is left once more at its end, and complain."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return code


def bound_size() -> None:
    """A width that no terminal has would take seconds, and memory, to lay out."""
    for name in ("COLUMNS", "LINES"):
        size = os.environ.get(name, "")
        if size.isascii() and size.isdecimal() and (len(size) > 4 or int(size) > _WIDEST):
            os.environ[name] = str(_WIDEST)


def prepare_streams() -> None:
    """A closed stream becomes an empty one; what a stream can't encode is replaced."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
        elif name != "stdin" and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
