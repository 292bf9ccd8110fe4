"""What the user may set, and from where: defaults < config.toml < LOCALSPEC_* < flags."""

import difflib
import tomllib
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from localspec import paths
from localspec.errors import UsageError

SpecMode = Literal["auto", "off", "draft", "suffix", "predicted"]
_OLD_NAMES = {"ngram": "suffix"}
Layers = Annotated[int, Field(ge=0)] | Literal["auto"]
MAX_DRAFT_TOKENS = 32
"""Each one more reserves a row of logits in the target's buffers."""


def present_name(mode: Any) -> Any:
    """What a mode of speculation is called now."""
    return _OLD_NAMES.get(mode, mode) if isinstance(mode, str) else mode


class Settings(BaseSettings):
    """Flags are passed to the constructor; a field left out comes from the layers below."""

    model_config = SettingsConfigDict(env_prefix="LOCALSPEC_", extra="forbid", frozen=True)

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
    ctx: int = Field(default=8192, ge=256)
    """Tokens of context, prompt and reply together."""
    gpu_layers: Layers = "auto"
    """Target layers on the GPU; auto is all of them."""
    draft_gpu_layers: Layers = "auto"
    """Draft layers on the GPU; auto is all of them."""
    device: str = "auto"
    """auto, cpu, or a device's name from `localspec doctor`."""
    threads: int | None = Field(default=None, ge=1, le=512)
    """Compute threads; none is the number of physical cores."""
    source: Literal["auto", "hub", "wheels"] = "auto"
    """Where pulls come from."""
    theme: str = "localspec-dark"
    """The screen's theme."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        config = TomlConfigSettingsSource(settings_cls, paths.config_file())
        return init_settings, env_settings, config


def load_settings(**flags: Any) -> Settings:
    """The settings in force; a flag that is None was not given. Raises UsageError."""
    given = {name: value for name, value in flags.items() if value is not None}
    try:
        return Settings(**given)
    except ValidationError as error:
        raise _refusal(error) from None
    except UnicodeDecodeError:
        raise UsageError(f"{paths.config_file()} is not UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{paths.config_file()} is not valid TOML: {error}.") from None


def _refusal(error: ValidationError) -> UsageError:
    """The first thing wrong, and where it can come from."""
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "settings"
    if first["type"] == "extra_forbidden":
        near = difflib.get_close_matches(name, Settings.model_fields, n=1)
        hint = f"Did you mean {near[0]}?" if near else "See the README for the settings."
        return UsageError(f"{paths.config_file()}: there is no setting {name}.", hint)
    value, rule = first["input"], first["msg"].lower()
    places = f"a flag, LOCALSPEC_{name.upper()} or {paths.config_file()}"
    return UsageError(f"{name} = {value!r}: {rule}.", f"It was set by {places}.")
