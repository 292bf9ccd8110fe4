"""From settings to how tokens are drawn, for the command line and the screen."""

from localspec.engine.params import SamplingParams
from localspec.settings import Settings


def sampling_params(
    settings: Settings, seed: int = 0, stop: tuple[str, ...] = ()
) -> SamplingParams:
    """Raises UsageError."""
    return SamplingParams(
        temperature=settings.temperature,
        top_k=settings.top_k,
        top_p=settings.top_p,
        min_p=settings.min_p,
        seed=seed,
        max_tokens=settings.max_tokens,
        stop=stop,
        repeat_penalty=settings.repeat_penalty,
        presence_penalty=settings.presence_penalty,
        frequency_penalty=settings.frequency_penalty,
        repeat_last_n=settings.repeat_last_n,
        logit_bias=settings.logit_bias,
        grammar=settings.grammar,
        json_schema=settings.json_schema,
    )
