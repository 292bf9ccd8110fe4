"""An entry's numbers against the headers of its files, and the pair check."""

from collections.abc import Iterator

from localspec.models.catalog.entries import ModelFile
from localspec.models.compat import broken_rule
from localspec.models.model_file import ModelFacts

_TOLERANCE = 0.03
"""Makers round a number of parameters."""
_OUTPUT = "output.weight"


def number_differences(file: ModelFile, facts: ModelFacts) -> Iterator[str]:
    """What the catalog says of the model and its header doesn't, each a clause."""
    said = {
        "layers": (file.n_layer, facts.n_layer),
        "KV heads": (file.n_head_kv, facts.n_head_kv),
        "tokens in its vocabulary": (file.n_vocab, len(facts.vocabulary)),
        "tokens of context in training": (file.ctx_train, facts.n_ctx_train),
    }
    for what, (ours, theirs) in said.items():
        if ours is not None and ours != theirs:
            told = "tells no number of" if theirs is None else f"has {theirs}"
            yield f"its header {told} {what}, and the catalog says {ours}"
    yield from _parameters(file, facts)


def _parameters(file: ModelFile, facts: ModelFacts) -> Iterator[str]:
    counted = sum(part.num_parameters for part in facts.parts)
    output = sum(part.tensors[_OUTPUT].elements for part in facts.parts if _OUTPUT in part.tensors)
    # Where the output is the vocabulary's matrix again, makers count it once.
    possible = [count / 1e9 for count in (counted, counted - output)]
    said = file.params_b
    if said and not any(abs(count - said) <= _TOLERANCE * said for count in possible):
        told = f"its header has {possible[0]:.3g} billion parameters"
        yield f"{told}, and the catalog says {said}"


def misfit(target: ModelFacts, draft: ModelFacts) -> str:
    """Why the draft can't draft for the target; empty where it can."""
    rule = broken_rule(target.vocabulary, draft.vocabulary)
    return f"the draft doesn't fit the target: {rule}" if rule else ""
