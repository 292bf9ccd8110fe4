"""`localspec compare`: speculation on against off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from localspec.cli import options
from localspec.cli.failure import INTERRUPTED
from localspec.cli.terminal import has_screen

if TYPE_CHECKING:
    from localspec.backends.interface import Backend
    from localspec.chat.comparison import Comparison
    from localspec.chat.events import Ready
    from localspec.settings import Settings
    from localspec.tui.contest import Contest

DEFAULT_PROMPT = "Write a Python class for an LRU cache, with type hints and a short example."


def compare(
    model: Annotated[str | None, typer.Argument(help="A model; else the default one.")] = None,
    prompt: Annotated[
        str, typer.Option("-p", "--prompt", help="What to answer in both ways.")
    ] = DEFAULT_PROMPT,
    repeats: Annotated[int, typer.Option("--repeats", min=1, help="Runs of each way.")] = 3,
    max_tokens: options.MaxTokens = 128,
    temp: options.Temperature = 0.0,
    repeat_penalty: options.RepeatPenalty = None,
    presence_penalty: options.PresencePenalty = None,
    frequency_penalty: options.FrequencyPenalty = None,
    repeat_last_n: options.RepeatLastN = None,
    logit_bias: options.LogitBias = None,
    grammar: options.Grammar = None,
    json_schema: options.JsonSchema = None,
    seed: options.Seed = 0,
    spec: options.Spec = None,
    num_draft_tokens: options.NumDraftTokens = None,
    file: options.File = None,
    predict: options.Predict = None,
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
    plain: Annotated[
        bool, typer.Option("--plain", help="The report alone, without the race in between.")
    ] = False,
    json: options.Json = False,
    yes: options.Yes = False,
) -> int:
    """Measure plain decoding and speculation by turns, with the same prompt and seed.

    In a terminal both replies then race beside each other, as fast as they were.

    Caches are cleared before each run. Speeds are of decoding; the prompt's time stands apart.
    """
    import json as json_module
    from contextlib import closing

    from localspec.backends.local import LocalBackend
    from localspec.backends.worker import WorkerBackend
    from localspec.chat.attachment import read_text
    from localspec.chat.events import Message
    from localspec.cli import prompt as words
    from localspec.cli import render
    from localspec.cli.constraints import constraints
    from localspec.cli.placement import placement
    from localspec.cli.request import load_request, reply_request
    from localspec.cli.starter import ensure_model
    from localspec.cli.trial import try_first
    from localspec.errors import UsageError
    from localspec.settings import load_settings
    from localspec.tui.contest import Contest

    settings = load_settings(
        model=model,
        max_tokens=max_tokens,
        temperature=temp,
        spec=spec,
        num_draft_tokens=num_draft_tokens,
        ctx=ctx,
        **placement(locals()),
        repeat_penalty=repeat_penalty,
        presence_penalty=presence_penalty,
        frequency_penalty=frequency_penalty,
        repeat_last_n=repeat_last_n,
        **constraints(logit_bias, grammar, json_schema),
    )
    if settings.spec == "off":
        raise UsageError("Off against off shows nothing.", "Use another --spec.")
    message = Message("user", words.with_files(prompt, file or ()))
    predicted = [read_text(path) for path in predict or ()]
    request = reply_request(settings, seed, predict=predicted)
    contest = Contest((message,), request, repeats)
    name = ensure_model(settings, yes)
    screen = not (plain or json) and has_screen()
    load = load_request(name, settings, fresh=fresh)
    if not screen:
        try_first(load)
    make_backend = WorkerBackend if screen else LocalBackend
    with closing(make_backend(load)) as backend:
        ready = render.show_loading(backend.load(), settings.spec)
        if screen:
            result = _raced(backend, contest, ready, settings)
        else:
            result = _measured(backend, contest)
    if result is None:
        return INTERRUPTED
    if json:
        typer.echo(json_module.dumps(result.report() | {"model": ready.name}))
    else:
        _print(result)
    return 0


def _measured(backend: Backend, contest: Contest) -> Comparison:
    """With its progress on stderr. Raises LocalspecError."""
    from localspec.chat.events import Compared, Failed, Measuring
    from localspec.cli.render import BackendFailure, StatusLine
    from localspec.errors import LocalspecError

    status = StatusLine()
    try:
        for event in backend.compare(contest.messages, contest.request, contest.repeats):
            match event:
                case Measuring():
                    status.show(str(event))
                case Compared():
                    return event.comparison
                case Failed():
                    raise BackendFailure(event)
    finally:
        status.clear()
    raise LocalspecError("The comparison ended without a result.")


def _raced(
    backend: Backend, contest: Contest, ready: Ready, settings: Settings
) -> Comparison | None:
    """On a screen of its own; None if it was left before there was a result. Raises
    LocalspecError."""
    from localspec.cli.render import BackendFailure
    from localspec.tui.race_app import RaceApp

    app = RaceApp(backend, contest, ready.name, settings)
    app.run()
    if app.failed is not None:
        raise BackendFailure(app.failed)
    if app.return_code:
        raise typer.Exit(app.return_code)
    return app.compared.comparison if app.compared else None


def _print(result: Comparison) -> None:
    from localspec.tui.comparison_lines import comparison_lines

    for line in comparison_lines(result):
        typer.echo(line)
