"""Failures become one line on stderr and an exit code."""

import os
import sys

import typer
from typer.exceptions import Abort, TyperException

from localspec.errors import LocalspecError, UsageError

INTERRUPTED = 130


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

        traceback.print_exc()
    line = " ".join(printable(message).split())
    print(f"localspec: {line}", file=sys.stderr)  # noqa: T201
    return code
