"""Which of an entry's quantisations a pull takes when none is named."""

from collections.abc import Callable, Sequence

from localspec.models.candidates import listed
from localspec.models.catalog.entries import Pair
from localspec.models.fit import Choice, best_quant
from localspec.models.placement import MemoryOf
from localspec.models.quants import quality

_CTX = 8192


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
