"""`localspec` and `localspec chat`: the screen."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import options
from localspec.cli.terminal import has_screen

if TYPE_CHECKING:
    from localspec.chat.history import History
    from localspec.chat.listing import Conversation
    from localspec.tui.app import ChatApp
    from localspec.tui.plain.chat import PlainChat

_PATIENCE_S = 0.3
"""How long the screen stands still for another process that writes."""


def chat(
    model: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL]",
            help="A model; else the default one. With --resume also a conversation's number.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            "-r",
            help="Go on with the latest conversation, or with the one of a number: --resume 12.",
        ),
    ] = False,
    spec: options.Spec = None,
    num_draft_tokens: options.NumDraftTokens = None,
    predict: options.Predict = None,
    max_tokens: options.MaxTokens = None,
    temp: options.Temperature = None,
    top_k: options.TopK = None,
    top_p: options.TopP = None,
    min_p: options.MinP = None,
    repeat_penalty: options.RepeatPenalty = None,
    presence_penalty: options.PresencePenalty = None,
    frequency_penalty: options.FrequencyPenalty = None,
    repeat_last_n: options.RepeatLastN = None,
    logit_bias: options.LogitBias = None,
    grammar: options.Grammar = None,
    json_schema: options.JsonSchema = None,
    system: options.System = None,
    ctx: options.Ctx = None,
    gpu_layers: options.GpuLayers = None,
    draft_gpu_layers: options.DraftGpuLayers = None,
    device: options.Device = None,
    draft_device: options.DraftDevice = None,
    tensor_split: options.TensorSplit = None,
    cpu_experts: options.CpuExperts = None,
    flash_attention: options.FlashAttention = None,
    cache_type: options.CacheType = None,
    draft_cache_type: options.DraftCacheType = None,
    threads: options.Threads = None,
    rpc: options.Rpc = None,
    fresh: options.Fresh = False,
    theme: Annotated[str | None, typer.Option("--theme", help="The screen's colours.")] = None,
    plain: Annotated[
        bool | None,
        typer.Option(
            "--plain/--no-plain",
            help="Numbered turns, line by line, without a screen: for screen readers and pipes.",
        ),
    ] = None,
    yes: options.Yes = False,
) -> None:
    """Chat on a screen of its own; the model is loaded while you type."""
    from localspec.tui import garbage

    garbage.pause()

    from contextlib import closing

    from localspec.backends.sampling import sampling_params
    from localspec.backends.worker import WorkerBackend
    from localspec.cli.constraints import constraints
    from localspec.cli.failure import printable
    from localspec.cli.placement import placement
    from localspec.cli.request import load_request
    from localspec.cli.starter import ensure_model
    from localspec.models import store
    from localspec.settings import load_settings
    from localspec.tui.handed import Handed

    number = model if resume and model and model.isascii() and model.isdecimal() else None
    model = None if number else model
    settings = load_settings(
        model=model,
        spec=spec,
        num_draft_tokens=num_draft_tokens,
        max_tokens=max_tokens,
        temperature=temp,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        system=system,
        ctx=ctx,
        **placement(locals()),
        theme=theme,
        plain=plain,
        repeat_penalty=repeat_penalty,
        presence_penalty=presence_penalty,
        frequency_penalty=frequency_penalty,
        repeat_last_n=repeat_last_n,
        **constraints(logit_bias, grammar, json_schema),
    )
    plain = settings.plain or (plain is None and _cannot_draw())
    if not plain:
        _need_terminal()
    handed = Handed()
    for path in predict or ():
        handed.predict(path)
    # A value that can't be honoured is refused here, not behind the screen.
    sampling_params(settings)
    with closing(_history(resume)) as history:
        resumed = _resumed(history, number) if resume else None
        if resumed and resumed.model and model is None:
            settings = settings.model_copy(update={"model": resumed.model})
        name = ensure_model(settings, yes)

        latest = ""

        def make_backend(name: str, ctx: int | None = None) -> WorkerBackend:
            nonlocal latest
            # An unknown name is refused here, while the model that is loaded still answers.
            resolved = store.resolve(name).name
            # Whoever loads the same model again wants all of it.
            again, latest = resolved == latest, resolved
            # A context that nobody set is given up first, so it must not look like one that is.
            placed = settings.model_copy(update={"ctx": ctx}) if ctx else settings
            return WorkerBackend(load_request(resolved, placed, fresh=fresh or again))

        conversation = resumed.id if resumed else None
        make = _plain_chat() if plain else _screen()
        app = make(make_backend, name, history, settings, conversation, handed=handed)
        app.run()
        if (shown := app.conversation) is not None and history.lasting:
            which = "" if _is_latest(history, shown) else f" {shown}"
            typer.echo(f"`localspec chat --resume{which}` continues this conversation.")
        if app.unfinished_pull:
            pull = printable(f"localspec pull {shlex.quote(app.unfinished_pull)}")
            typer.echo(f"`{pull}` goes on where this left off.")
    # It is None after a crash outside of Textual's own loop.
    if app.return_code != 0:
        raise typer.Exit(app.return_code or 1)


def _screen() -> type[ChatApp]:
    from localspec.tui.app import ChatApp

    return ChatApp


def _plain_chat() -> type[PlainChat]:
    from localspec.tui.plain.chat import PlainChat

    return PlainChat


def _cannot_draw() -> bool:
    """A terminal without a cursor to move still takes lines."""
    return os.environ.get("TERM") == "dumb" and has_screen()


def _need_terminal() -> None:
    from localspec.errors import UsageError

    if not has_screen():
        hint = 'Use `localspec run -p "…"`, or `localspec chat --plain` to chat by lines.'
        raise UsageError("The chat screen needs a terminal.", hint)


def _history(resume: bool) -> History:
    """The saved conversations; one that can't be read only matters to who asks for it."""
    from localspec import paths
    from localspec.chat.history import History
    from localspec.errors import LocalspecError

    try:
        return History(paths.history_file(), patience_s=_PATIENCE_S)
    except LocalspecError as error:
        if resume:
            raise LocalspecError(error.message, "Without --resume the chat works.") from error
        return History(None, str(error))


def _is_latest(history: History, conversation: int) -> bool:
    """Whether --resume alone would open this conversation."""
    from localspec.errors import LocalspecError

    try:
        latest = history.latest()
    except LocalspecError:
        return False
    return latest is not None and latest.id == conversation


def _resumed(history: History, number: str | None) -> Conversation:
    """The conversation of this number, or the latest."""
    from localspec.errors import LocalspecError

    if number is not None:
        return history.conversation(int(number[:20]))
    latest = history.latest()
    if latest is None:
        raise LocalspecError("There is no conversation to resume yet.", "Run `localspec chat`.")
    return latest
