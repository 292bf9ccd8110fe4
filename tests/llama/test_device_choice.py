"""Which devices a target and its draft get (B44)."""

from collections.abc import Callable

import pytest

from localspec.errors import UsageError
from localspec.llama import device_choice
from localspec.llama.device_choice import check_split, chosen, for_draft
from localspec.llama.devices import Device, kind_of

See = Callable[..., None]


def device(name: str, kind: str = "gpu", free: int = 10) -> Device:
    return Device(name, name.lower(), kind, free, 20, hash(name))


CPU, FIRST, SECOND = device("CPU", "cpu"), device("CUDA0"), device("CUDA1", free=15)
SERVER, BUILT_IN = device("RPC0", "rpc", free=99), device("Vulkan0", "igpu")


@pytest.fixture
def see(monkeypatch: pytest.MonkeyPatch) -> See:
    def see(*devices: Device) -> None:
        monkeypatch.setattr(device_choice, "devices", lambda rpc: [*devices, CPU])

    return see


def names(devices: tuple[Device, ...]) -> list[str]:
    return [device.name for device in devices]


def test_auto_is_every_device_that_holds_layers_servers_first(see: See) -> None:
    see(BUILT_IN, FIRST, SECOND, SERVER)
    assert names(chosen("auto")) == ["RPC0", "CUDA0", "CUDA1"]
    see(BUILT_IN, SERVER)
    assert names(chosen("Auto")) == ["RPC0", "Vulkan0"]
    see()
    assert chosen("auto") == ()


def test_names_keep_their_order_and_case_is_no_matter(see: See) -> None:
    see(FIRST, SECOND)
    assert names(chosen("cuda1, CUDA0")) == ["CUDA1", "CUDA0"]
    assert chosen("CPU") == ()


@pytest.mark.parametrize("text", ["CUDA7", "", "CUDA0,", "cpu,CUDA0", "auto,CUDA0"])
def test_an_unknown_device_is_refused_with_the_names(text: str, see: See) -> None:
    see(FIRST, SECOND)
    with pytest.raises(UsageError, match="There is no device") as caught:
        chosen(text)
    assert caught.value.hint == "Choose one of: auto, cpu, CUDA0, CUDA1."


def test_a_device_is_named_once(see: See) -> None:
    see(FIRST)
    with pytest.raises(UsageError, match="twice"):
        chosen("CUDA0,cuda0")


def test_a_draft_has_one_device_the_targets_nearest_with_most_room(see: See) -> None:
    """A draft was split over every GPU, or sent its guesses through the network."""
    see(FIRST, SECOND, SERVER)
    assert names(for_draft("auto", chosen("auto"))) == ["CUDA1"]
    assert names(for_draft("auto", chosen("CUDA0,RPC0"))) == ["CUDA0"]
    assert names(for_draft("auto", chosen("RPC0"))) == ["RPC0"]
    with pytest.raises(UsageError, match="one device"):
        for_draft("CUDA0,CUDA1", ())


def test_cpu_means_both_unless_the_draft_is_set_apart(see: See) -> None:
    """Choosing the CPU moved only the target."""
    see(FIRST)
    assert for_draft("auto", chosen("cpu")) == ()
    assert names(for_draft("CUDA0", chosen("cpu"))) == ["CUDA0"]
    assert for_draft("cpu", chosen("auto")) == ()


def test_shares_are_one_for_each_device() -> None:
    check_split((), ())
    check_split((3.0, 1.0), (FIRST, SECOND))
    with pytest.raises(UsageError, match=r"has 1 shares for 2 devices \(CUDA0, CUDA1\)"):
        check_split((1.0,), (FIRST, SECOND))
    with pytest.raises(UsageError, match=r"for 0 devices \(none\)"):
        check_split((1.0,), ())


@pytest.mark.parametrize(
    ("name", "told", "kind"),
    [
        ("MTL0", "gpu", "igpu"),
        ("Metal", "gpu", "igpu"),
        ("CUDA0", "gpu", "gpu"),
        ("x", "cpu", "cpu"),
    ],
)
def test_apples_gpus_are_integrated_ones(name: str, told: str, kind: str) -> None:
    """Plans for a load counted a Mac's memory twice, once for the GPU and once for the CPU."""
    assert kind_of(name, told) == kind
