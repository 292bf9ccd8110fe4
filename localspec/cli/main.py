"""The `localspec` command: registers the commands, and turns failures into one line."""

import sys
from typing import Annotated

import typer

from localspec import __version__
from localspec.cli import (
    add,
    bench,
    catalog,
    chat,
    check,
    compare,
    doctor,
    drafts,
    fit,
    keys,
    listing,
    locate,
    pull,
    quantize,
    recommend,
    remove,
    run,
    sessions,
    show,
    simulate,
)
from localspec.cli.failure import bound_size, exit_on_failure, prepare_streams, printable, say

app = typer.Typer(
    name="localspec",
    help="Chat with local language models, fast because a small model drafts for the big one.",
    invoke_without_command=True,
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command()(chat.chat)
app.command()(run.run)
app.command()(check.check)
app.command()(pull.pull)
app.command("list")(listing.list_pairs)
app.command("ls", hidden=True)(listing.list_pairs)
app.command()(show.show)
app.command("rm")(remove.remove)
app.command()(add.add)
app.command()(drafts.drafts)
app.command()(fit.fit)
app.command()(recommend.recommend)
app.command()(locate.locate)
app.command()(keys.keys)
app.command()(compare.compare)
app.command()(bench.bench)
app.command()(simulate.simulate)
app.command()(quantize.quantize)
app.command()(doctor.doctor)
app.add_typer(catalog.app, name="catalog")
app.command()(sessions.sessions)
app.command()(sessions.export)
app.command("import")(sessions.import_file)


def _print_version(given: bool) -> None:
    if given:
        typer.echo(f"localspec {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of a failure.")
    ] = False,
) -> None:
    """Without a command: open the chat screen."""
    if context.invoked_subcommand is None:
        context.invoke(chat.chat)


def main() -> None:
    """Run and exit: 0 done, 1 refused or failed, 2 wrong usage, 130 interrupted."""
    prepare_streams()
    bound_size()
    args = sys.argv[1:]
    options = args[: args.index("--")] if "--" in args else args
    debug = "--debug" in options
    if debug:
        # Accepted anywhere, not only before the command.
        args.remove("--debug")
    code = exit_on_failure(app, args, debug)
    _say_catalog_problem()
    sys.exit(code)


def _say_catalog_problem() -> None:
    """A broken file of the user's own pairs stops nothing; whoever asked for a name hears of it."""
    loaded = sys.modules.get("localspec.models.catalog")
    problem = loaded.own_pairs().problem if loaded else ""
    if problem:
        say(f"localspec: {printable(problem)} It is passed over; other names work.")
