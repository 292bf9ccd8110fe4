"""Which quantisation a pull takes when none is named: of an entry, or of a repository."""

from collections.abc import Callable, Sequence

from localspec.models.candidates import Candidate, listed
from localspec.models.catalog.entries import Pair
from localspec.models.fit import Choice, best_quant
from localspec.models.header_memory import memory_of
from localspec.models.memory import ModelMemory
from localspec.models.model_file import ModelFacts
from localspec.models.offers import Offer
from localspec.models.placement import MemoryOf
from localspec.models.quants import quality

_CTX = 8192
_BEST = 8
"""More bits are as good, and slower."""


def offered_best(pair: Pair, devices: Callable[[], Sequence[MemoryOf]]) -> Choice | None:
    """None where the entry offers nothing to choose from, or the entry's own is the choice that
    needs no word; the machine is asked only if there is a choice."""
    candidates = listed(pair)
    if candidates is None:
        return None
    offered = [each for each in candidates.targets if each.origin == "catalog"]
    if len({quality(each.quant) for each in offered}) < 2:
        return None
    own = candidates.chosen
    n_ctx = min(_CTX, own.memory.n_ctx_train or _CTX)
    return best_quant(offered, own, candidates.draft, devices(), n_ctx)


def listed_best(
    offered: Sequence[Offer],
    usual: Offer,
    facts: ModelFacts,
    draft: ModelMemory | None,
    devices: Callable[[], Sequence[MemoryOf]],
) -> tuple[Offer, str] | None:
    """Of the models that a repository lists, `usual` among them, whose header is `facts`: the best
    and why. None where there is nothing to choose; those of unknown quality are no choice."""
    by_quant = {each.quant: each for each in offered if 0 < quality(each.quant) <= _BEST}
    if len({quality(quant) for quant in by_quant}) < 2:
        return None
    memory = memory_of(facts)
    candidates = {
        quant: Candidate(quant, each.bytes, memory.scaled(each.bytes / usual.bytes), "hub")
        for quant, each in by_quant.items()
    }
    own = Candidate(usual.quant, usual.bytes, memory, "hub")
    n_ctx = min(_CTX, memory.n_ctx_train or _CTX)
    choice = best_quant(list(candidates.values()), own, draft, devices(), n_ctx)
    chosen = usual if choice.candidate is own else by_quant[choice.candidate.quant]
    return chosen, f"{chosen.quant}: {choice.reason}."
