"""Runs functions that torch.compile has compiled for a GPU, without a GPU: TorchInductor writes Triton kernels for it,
and ptxlab runs them on the CPU with the arithmetic of the GPU. Needs torch and Triton, and ptxlab on the PYTHONPATH:

    python examples/torch_compile.py sm_100

`inductor_for` replaces parts of torch that are not public. It was written for torch 2.13; other versions may need
changes. Functions must be compiled and called for the first time inside of the `with` block.
"""

import sys
from contextlib import ExitStack, contextmanager
from typing import Any, Iterator
from unittest import mock

import torch
import triton
from torch._dynamo.device_interface import CpuInterface
from torch._inductor import config
from torch._inductor.runtime import triton_helpers
from torch._inductor.runtime.hints import DeviceProperties
from torch._inductor.runtime.triton_heuristics import CachingAutotuner
from triton.runtime import _allocation

import ptxlab.triton


class _Interface(CpuInterface):
    """The CPU as a device that Inductor can make the current device."""

    @staticmethod
    def exchange_device(device: int) -> int:
        return 0

    maybe_exchange_device = exchange_device


def _properties_of(gpu: str) -> DeviceProperties:
    capability = int(gpu[len("sm_") :])
    return DeviceProperties(
        type="cuda",
        index=0,
        multi_processor_count=1,
        cc=capability,
        major=capability // 10,
        regs_per_multiprocessor=65536,
        max_threads_per_multi_processor=2048,
        max_threads_per_block=1024,
        warp_size=32,
    )


def _first(tuner: Any, launcher: Any, *_: Any, **__: Any) -> float:
    """Takes the place of measuring a configuration: the first one is the fastest."""
    return 0.0 if launcher is tuner.launchers[0] else 1.0


@contextmanager
def inductor_for(gpu: str, **options: Any) -> Iterator[ptxlab.triton.Activation]:
    """Lets torch.compile use Triton kernels for a GPU, on tensors in CPU memory. `options` are those of `activate`."""
    settings = {"cpu_backend": "triton", "compile_threads": 1, "fx_graph_cache": False}
    settings["use_static_triton_launcher"] = False
    with ExitStack() as stack:
        activation = stack.enter_context(ptxlab.triton.activate(gpu, **options))
        stack.enter_context(config.patch(settings))
        for holder, name, value in [
            (DeviceProperties, "create", lambda device: _properties_of(gpu)),
            (triton_helpers, "set_driver_to_cpu", lambda: None),
            (triton_helpers, "set_driver_to_gpu", lambda: None),
            (CachingAutotuner, "bench", _first),
            (CachingAutotuner, "get_device_interface", lambda tuner: _Interface),
        ]:
            stack.enter_context(mock.patch.object(holder, name, value))
        # Inductor sets an allocator of its own when a kernel is first launched.
        stack.callback(triton.set_allocator, _allocation._allocator.get())
        stack.callback(torch._dynamo.reset)
        torch._dynamo.reset()
        yield activation


def main() -> None:
    gpu = sys.argv[1] if len(sys.argv) > 1 else "sm_90"
    layer = torch.nn.Sequential(torch.nn.LayerNorm(256), torch.nn.GELU(), torch.nn.Softmax(dim=-1))
    x = torch.randn(64, 256)
    with inductor_for(gpu) as activation, torch.no_grad():
        found = torch.compile(layer)(x)
        error = (found - layer(x)).abs().max().item()
    print(f"{gpu}: the largest difference from torch on the CPU is {error:.1e}")
    if activation.result is not None:
        print(f"the last kernel ran {activation.result['stats']['instructions']} instructions")


if __name__ == "__main__":
    main()
