"""`localspec quantize`: another quantisation of a model file."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def quantize(
    source: Annotated[
        str, typer.Argument(metavar="SRC", help="A GGUF file, or a pulled model's name.")
    ],
    target: Annotated[Path, typer.Argument(metavar="DST", help="The file to write.")],
    kind: Annotated[
        Literal["f16", "q8_0", "q4_0", "q4_k_m"], typer.Option("--type", help="What to make of it.")
    ],
    pure: Annotated[
        bool,
        typer.Option(
            "--pure", help="No tensor in a larger type: a faster draft, a little less exact."
        ),
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace DST if it exists.")] = False,
) -> None:
    """Convert a model file: smaller and faster, or an F16 copy to measure on.

    A file that is quantised already does not get better by a larger type.
    """
    import signal
    import sys

    from localspec.cli.failure import printable
    from localspec.llama.quantize import quantize as convert

    source_file = _source_file(source)
    _check_target(source_file, target, force)
    partial = _partial(target)
    # A polite kill leaves no half file either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        for share in convert(source_file, partial, kind, pure):
            if sys.stderr.isatty():
                typer.echo(f"\r{share:4.0%} converted", err=True, nl=False)
        partial.replace(target.resolve())
    finally:
        if sys.stderr.isatty():
            typer.echo(err=True)
        partial.unlink(missing_ok=True)
    size = target.stat().st_size
    typer.echo(f"{printable(str(target))}: {kind.upper()}, {size / 1e9:.2f} GB", err=True)
    typer.echo("Use it: localspec add NAME --target FILE, then localspec chat NAME", err=True)


def _partial(target: Path) -> Path:
    """A new file beside the target: what llama.cpp writes must not be another file's bytes."""
    import os
    import tempfile

    from localspec.errors import UsageError

    try:
        handle, name = tempfile.mkstemp(".partial", f".{target.name[:100]}.", target.parent)
    except OSError as error:
        reason = f"{target.parent} can't be written: {error.strerror}."
        raise UsageError(reason, "Choose another place for DST.") from None
    os.close(handle)
    partial = Path(name)
    # mkstemp's files are the owner's alone; a model is not a secret.
    partial.chmod(0o644)
    return partial


def _source_file(source: str) -> Path:
    from localspec.models import store
    from localspec.models.model_file import read_model

    path = Path(source)
    if not path.is_file() and not path.suffix and store.is_known(source):
        path = store.resolve(source).target
    read_model(path)
    return path


def _check_target(source: Path, target: Path, force: bool) -> None:
    from localspec.errors import UsageError
    from localspec.models.model_file import shard_paths

    parts = shard_paths(source)
    if len(target.name.encode("utf-8", "surrogateescape")) > 255:
        raise UsageError("The name of DST is too long.", "Give a shorter one.")
    if not target.parent.is_dir():
        raise UsageError(f"{target.parent} is not a directory.", "Make it first.")
    if target.exists() and not target.is_file():
        raise UsageError(f"{target} is not a file.", "Give the name of a file.")
    if target.exists() and any(part.exists() and target.samefile(part) for part in parts):
        raise UsageError("SRC and DST are the same file.", "Give another DST.")
    if target.exists() and not force:
        raise UsageError(f"{target} exists.", "Use --force to replace it.")
