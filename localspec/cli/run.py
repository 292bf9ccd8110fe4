"""`localspec run`: one prompt, one reply."""

from typing import Annotated

import typer

from localspec.cli import options


def run(
    model: Annotated[
        str | None, typer.Argument(help="A model; else the default one. One word alone is a model.")
    ] = None,
    prompt: Annotated[str | None, typer.Argument(help="What to answer; or pipe it in.")] = None,
    prompt_option: Annotated[
        str | None, typer.Option("-p", "--prompt", help="The prompt, as an option.")
    ] = None,
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
    seed: options.Seed = None,
    system: options.System = None,
    spec: options.Spec = None,
    num_draft_tokens: options.NumDraftTokens = None,
    file: options.File = None,
    predict: options.Predict = None,
    stop: Annotated[
        list[str] | None, typer.Option("--stop", help="End the reply before this text.")
    ] = None,
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
    raw: Annotated[
        bool, typer.Option("--raw", help="The prompt as it is, without the chat template.")
    ] = False,
    json: options.Json = False,
    yes: options.Yes = False,
) -> int:
    """Answer one prompt: the reply on stdout, the numbers on stderr."""
    from contextlib import closing

    from localspec.backends.local import LocalBackend
    from localspec.backends.worker import WorkerBackend
    from localspec.chat.attachment import read_text
    from localspec.chat.events import Message
    from localspec.cli import prompt as words
    from localspec.cli import render
    from localspec.cli.constraints import constraints
    from localspec.cli.failure import say
    from localspec.cli.placement import placement
    from localspec.cli.request import load_request, reply_request
    from localspec.cli.starter import ensure_model
    from localspec.models import store
    from localspec.settings import load_settings

    named, text = words.split(model, prompt, prompt_option)
    text = words.with_files(text, file or ())
    predicted = [read_text(path) for path in predict or ()]
    settings = load_settings(
        model=named,
        max_tokens=max_tokens,
        temperature=temp,
        top_k=top_k,
        top_p=top_p,
        min_p=min_p,
        system=system,
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
    request = reply_request(settings, seed, tuple(stop or ()), raw, predicted)
    name = ensure_model(settings, yes)
    messages = [Message("user", text)]
    if settings.system and not raw:
        messages.insert(0, Message("system", settings.system))
    load_draft = settings.spec in ("auto", "draft")
    # A server that goes away, or a file that llama.cpp has never loaded here, may end the process.
    may_die = settings.rpc or not store.is_tried(name, load_draft)
    make_backend = WorkerBackend if may_die else LocalBackend
    with closing(make_backend(load_request(name, settings, load_draft, fresh))) as backend:
        ready = render.show_loading(backend.load(), settings.spec)
        finished = render.stream_reply(backend.chat(messages, request), quiet=json)
    if json:
        typer.echo(render.as_json(finished, ready))
    else:
        say(render.statistics(finished))
    return 0
