"""Options that several commands share."""

from typing import Annotated, Any, Literal

import typer

Spec = Annotated[
    Literal["auto", "off", "draft", "suffix", "predicted", "ngram"] | None,
    typer.Option(
        "--spec",
        metavar="auto|off|draft|suffix|predicted",
        help="Where drafts come from: the draft model, what was said before (suffix), text that"
        " the reply should repeat (predicted), nowhere, or what pays. Default auto.",
    ),
]
Predict = Annotated[
    list[str] | None,
    typer.Option("--predict", metavar="FILE", help="Most of the reply will be this file's text."),
]
File = Annotated[
    list[str] | None,
    typer.Option("--file", metavar="FILE", help="Attach a text file to the prompt."),
]
NumDraftTokens = Annotated[
    int | None,
    typer.Option(
        "--num-draft-tokens",
        metavar="K",
        help="Tokens drafted in a round. By default localspec decides.",
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option("-n", "--max-tokens", help="The longest reply, in tokens."),
]
Temperature = Annotated[
    float | None,
    typer.Option("--temp", help="Randomness; 0: always the likeliest; run and chat: 0.7."),
]
TopK = Annotated[
    int | None, typer.Option("--top-k", help="Keep the K likeliest; 0: all. Default 40.")
]
TopP = Annotated[
    float | None, typer.Option("--top-p", help="Keep this share of probability. Default 0.95.")
]
MinP = Annotated[
    float | None,
    typer.Option("--min-p", help="Drop what is under this share of the best. Default 0.05."),
]
RepeatPenalty = Annotated[
    float | None,
    typer.Option("--repeat-penalty", help="Above 1: tokens that were there are less likely."),
]
PresencePenalty = Annotated[
    float | None,
    typer.Option("--presence-penalty", help="Taken off the logits of tokens that were there."),
]
FrequencyPenalty = Annotated[
    float | None,
    typer.Option("--frequency-penalty", help="The same for every time that a token was there."),
]
RepeatLastN = Annotated[
    int | None,
    typer.Option(
        "--repeat-last-n",
        metavar="N",
        help="Tokens that penalties look at, prompt included; -1: all. Default 64.",
    ),
]
LogitBias = Annotated[
    list[str] | None,
    typer.Option(
        "--logit-bias",
        metavar="ID=BIAS",
        help="Add to a token's logit, as 15043=-2.5; -inf bans it. Repeatable.",
    ),
]
Grammar = Annotated[
    str | None,
    typer.Option("--grammar", metavar="FILE", help="Let replies follow the grammar (GBNF) there."),
]
JsonSchema = Annotated[
    str | None,
    typer.Option(
        "--json-schema",
        metavar="FILE|JSON",
        help="Let replies be JSON of a schema: a file, or the schema itself; {}: any JSON.",
    ),
]
Seed = Annotated[int | None, typer.Option("--seed", help="Repeat a reply by its seed.")]
System = Annotated[str | None, typer.Option("--system", help="The system prompt.")]
Ctx = Annotated[int | None, typer.Option("--ctx", help="Tokens of context. Default 8192.")]


def _place(flag: str, help: str, metavar: str | None = None) -> Any:
    """An option of the panel of its own that `--help` shows."""
    return typer.Option(flag, help=help, metavar=metavar, rich_help_panel="Where models go")


GpuLayers = Annotated[
    str | None, _place("--gpu-layers", "Target layers on GPUs; auto: what fits.", "auto|N")
]
DraftGpuLayers = Annotated[
    str | None, _place("--draft-gpu-layers", "Draft layers on its GPU; auto: all.", "auto|N")
]
Device = Annotated[
    str | None,
    _place("--device", "Devices that `doctor` names; for the draft too.", "auto|cpu|A,B"),
]
DraftDevice = Annotated[
    str | None, _place("--draft-device", "The draft's, if not the same.", "auto|cpu|A")
]
TensorSplit = Annotated[
    str | None, _place("--tensor-split", "Each device's share of target layers.", "3,1")
]
CpuExperts = Annotated[
    str | None, _place("--cpu-experts", "Layers with their experts on the CPU.", "N|all")
]
FlashAttention = Annotated[
    Literal["auto", "on", "off"] | None,
    _place("--flash-attention", "Default auto: wherever the device can do it."),
]
CacheType = Annotated[
    str | None,
    _place("--cache-type", "Of keys and values: f16, q8_0…, or two as q8_0/f16.", "TYPE"),
]
DraftCacheType = Annotated[
    str | None, _place("--draft-cache-type", "The same of the draft.", "auto|TYPE")
]
Threads = Annotated[int | None, _place("--threads", "Compute threads; else one a core.", "N")]
Rpc = Annotated[
    str | None,
    _place("--rpc", "Add devices of other machines: llama.cpp's RPC servers.", "HOST:PORT,…"),
]
Fresh = Annotated[bool, _place("--fresh", "Forget what was given up for want of memory at a load.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Pull what is missing without asking.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Quant = Annotated[
    str | None, typer.Option("--quant", metavar="Q", help="The target's quantisation.")
]
DraftQuant = Annotated[
    str | None, typer.Option("--draft-quant", metavar="Q", help="The draft's quantisation.")
]
DraftModel = Annotated[
    str | None,
    typer.Option("--draft", metavar="NAME", help="The draft, by name or user/repo[:QUANT]."),
]
NoDraft = Annotated[bool, typer.Option("--no-draft", help="Only the target.")]
