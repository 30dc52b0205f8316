"""Runs Triton kernels without a GPU. Triton compiles them to PTX, and ptxlab runs the PTX on tensors in CPU memory:

    import torch, triton, ptxlab.triton

    ptxlab.triton.activate("sm_90")
    x, y = torch.rand(1000), torch.empty(1000)
    kernel[(4,)](x, y, len(x), BLOCK=256)

Needs torch, and Triton 3.6 or newer.
"""

from __future__ import annotations

import math
import os
import re
import threading
import warnings
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import torch
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime import _allocation, driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.errors import OutOfResources

from ._device import Device, Kernel
from ._errors import Fault, PtxlabError
from ._server import shared
from ._triton_arguments import passed_arguments

_KIB = 1024

# The most shared memory that a block can have, by compute capability.
_MOST_SHARED = {
    75: 64 * _KIB,
    80: 163 * _KIB,
    86: 99 * _KIB,
    87: 163 * _KIB,
    88: 163 * _KIB,
    89: 99 * _KIB,
    90: 227 * _KIB,
    100: 227 * _KIB,
    103: 227 * _KIB,
    110: 227 * _KIB,
    120: 99 * _KIB,
    121: 99 * _KIB,
}


class Activation:
    """Ends when `deactivate` is called, or at the end of a `with` block."""

    def __init__(self, gpu: str, options: Mapping[str, Any]) -> None:
        self._driver = _driver_of(gpu)
        self._driver.check(options)
        self.options = options
        # What the last launch returned: `stats`, `printed` and `races`. None if it did not run to its end.
        self.result: Optional[Dict[str, Any]] = None
        if not _activations:
            _replaced.put()
        _activations.append(self)
        self._use()

    def deactivate(self) -> None:
        """Makes the previous activation, or the driver from before all activations, active again. Further calls do
        nothing.
        """
        if self not in _activations:
            return
        _activations.remove(self)
        if _activations:
            _activations[-1]._use()
        else:
            _replaced.restore()

    def _use(self) -> None:
        self._driver.activation = self
        driver.set_active(self._driver)

    def __enter__(self) -> "Activation":
        return self

    def __exit__(self, *_: object) -> None:
        self.deactivate()


_activations: List[Activation] = []


class _Replaced:
    """The parts of Triton that are replaced while there are activations."""

    def put(self) -> None:
        self._driver = driver._active
        self._hook = knobs.runtime.add_stages_inspection_hook
        self._run, self._bench = Autotuner.run, Autotuner._bench
        knobs.runtime.add_stages_inspection_hook = self._add_stages
        Autotuner.run, Autotuner._bench = _run_for_gpu(self._run), _first_that_fits()

    def restore(self) -> None:
        driver._active = self._driver
        knobs.runtime.add_stages_inspection_hook = self._hook
        Autotuner.run, Autotuner._bench = self._run, self._bench

    def _add_stages(self, *given: Any) -> Any:
        """Triton calls this without arguments for the key of its caches, and otherwise to change its stages."""
        if self._hook is not None:
            before = self._hook(*given)
        if not given:
            return ("ptxlab", "ptxlab") if self._hook is None else tuple(f"{one} ptxlab" for one in before)
        _, stages, *_ = given
        # The PTX itself takes the place of the machine code.
        stages["cubin"] = lambda ptx, metadata: ptx.encode()
        return None


_replaced = _Replaced()


def activate(gpu: str = "sm_90", **options: Any) -> Activation:
    """Lets Triton compile for a GPU such as "sm_90", and run its kernels on ptxlab, until the result is deactivated.

    The tensors that kernels use must be on the CPU. They are copied to the device for each launch, and back if the
    kernel has changed them. Kernels that are being autotuned use their first configuration that fits on the GPU.
    `options` are options of each launch, such as timeout=5 (in seconds) or races="report".
    Raises PtxlabError if the GPU is unknown, or if launches cannot have such options. Launches raise Fault if the
    kernel faults.
    """
    if knobs.runtime.interpret:
        warnings.warn("TRITON_INTERPRET is set, so Triton interprets its kernels and does not run them on ptxlab")
    return Activation(gpu, options)


class _Driver:
    """What Triton asks of the driver of a GPU."""

    def __init__(self, gpu: str) -> None:
        self._gpu = gpu
        self._open()
        self.activation: Optional[Activation] = None
        self._architecture = int(gpu[len("sm_") :])
        self.utils = SimpleNamespace(
            get_device_properties=self._properties, load_binary=self._load
        )
        self.launcher_cls = partial(_Launch, self)

    def _open(self) -> None:
        self.device = Device(gpu=self._gpu)
        self._number = next(_numbers)
        # Without a module, Triton loads a kernel again for each launch.
        self._kernels: WeakValueDictionary[Tuple[str, bytes], Kernel] = WeakValueDictionary()

    def _renew(self) -> None:
        """Opens another device if there is another server, as in a forked process."""
        if self.device._server is not shared():
            self._open()

    def check(self, options: Mapping[str, Any]) -> None:
        """Raises an error if launches cannot have these options."""
        own = sorted(_OWN_OPTIONS.intersection(options))
        if own:
            raise PtxlabError("bad-option", f"each launch has its own `{own[0]}`, so it is not an option of `activate`")
        self._renew()
        try:
            with self.device.module(_EMPTY) as module:
                module.kernel()[1, 1](**options)
        except Fault as fault:
            raise PtxlabError("bad-option", f"no launch can end with these options: {fault.args[0]}") from None

    def is_active(self) -> bool:
        return True

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", self._architecture, 32)

    def get_current_device(self) -> int:
        """Triton keeps compiled kernels and limits by this number, so each device has its own."""
        self._renew()
        return self._number

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_device_capability(self, device: int = 0) -> Tuple[int, int]:
        return divmod(self._architecture, 10)

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")

    def get_device_interface(self) -> Any:
        return torch.cpu

    def get_benchmarker(self) -> Callable[..., Sequence[float]]:
        raise PtxlabError("no-benchmarks", "ptxlab cannot measure how long a kernel would take on a GPU")

    def get_empty_cache_for_benchmark(self) -> Any:
        return self.get_benchmarker()

    def _properties(self, device: int) -> Mapping[str, int]:
        return {
            "max_shared_mem": _MOST_SHARED.get(self._architecture, 227 * _KIB),
            "max_num_regs": 65536,
            "multiprocessor_count": 1,
            "warpSize": 32,
        }

    def _load(self, name: str, ptx: bytes, shared_bytes: int, device: int) -> Tuple[None, Kernel, int, int, int]:
        """Returns no module, because Triton would unload it even if another driver was active. The kernel keeps its
        module. The number of registers is unknown, so the largest possible number takes its place.
        """
        registers, spills, threads = 255, 0, 1024
        kernel = self._kernels.get((name, ptx))
        if kernel is None:
            kernel = self._kernels[name, ptx] = self.device.module(ptx.decode()).kernel(name)
        return None, kernel, registers, spills, threads


# The options of a launch that each kernel sets itself.
_OWN_OPTIONS = {"grid", "block", "cluster", "args", "bind", "shared_bytes", "sharedBytes", "device", "module", "kernel"}

_EMPTY = ".version 6.0\n.target sm_30\n.address_size 64\n.entry empty() { ret; }"

_numbers = count(1)
_drivers: Dict[str, _Driver] = {}


def _driver_of(gpu: str) -> _Driver:
    """The driver of a GPU. It is kept, so that a kernel is compiled only once even if the GPU is activated again."""
    if not isinstance(gpu, str) or re.fullmatch(r"sm_\d+", gpu) is None:
        raise PtxlabError("unknown-gpu", f"Triton compiles for a GPU such as sm_90 (without letters), not for {gpu!r}")
    known = _drivers.get(gpu)
    if known is None:
        known = _drivers[gpu] = _Driver(gpu)
    return known


_launching = threading.RLock()


def _after_fork() -> None:
    """Another thread may have held the lock, which only exists in the parent process."""
    global _launching
    _launching = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)

# Addresses of the device are lower.
_LEAST_HOST_ADDRESS = 1 << 36


def _with_hint(fault: Fault) -> Fault:
    if int(fault.data.get("address") or "0", 16) < _LEAST_HOST_ADDRESS:
        return fault
    hint = "it may be an address of the host that was not found in a tensor of addresses; see the package's README"
    return Fault(fault.code, f"{fault.args[0]}; {hint}", fault.data)


class _Launch:
    """Launches a kernel that Triton has compiled."""

    def __init__(self, driver: _Driver, source: Any, metadata: Any) -> None:
        self._driver = driver
        self._types: List[Any] = list(source.signature.values())
        self._maps: List[Any] = list(getattr(metadata, "tensordesc_meta", None) or [])
        self._metadata = metadata
        self._options: Dict[str, Any] = {"shared_bytes": metadata.shared}
        if metadata.launch_cooperative_grid:
            self._options["cooperative"] = True

    def __call__(self, x: int, y: int, z: int, stream: int, kernel: Kernel, *given: Any) -> None:
        _, about, enter, leave, *args = given
        activation = self._driver.activation
        assert activation is not None
        activation.result = None
        if x * y * z == 0:
            return
        if enter is not None:
            enter(about)
        try:
            # Two launches may use parts of one storage, which is copied back as a whole.
            with _launching:
                result = self._launch([x, y, z], kernel, args, activation.options)
        except Fault as fault:
            print(fault.data["printed"], end="")
            raise _with_hint(fault) from None
        print(result["printed"], end="")
        activation.result = result
        if leave is not None:
            leave(about)

    def _launch(
        self, programs: Sequence[int], kernel: Kernel, args: Sequence[Any], options: Mapping[str, Any]
    ) -> Dict[str, Any]:
        metadata = self._metadata
        x, y, z = programs
        blocks = [x * metadata.num_ctas, y, z]
        passed = list(passed_arguments(self._types, self._maps, args))
        passed += self._scratch(math.prod(blocks))[: len(kernel.parameters) - len(passed)]
        return kernel[blocks, [32 * metadata.num_warps, 1, 1]](*passed, **{**options, **self._options})

    def _scratch(self, blocks: int) -> List[Any]:
        """Memory that the kernel needs for itself, such as for the tensor maps that it makes."""
        metadata = self._metadata
        allocator = _allocation._allocator.get()
        if metadata.global_scratch_size > 0 and isinstance(allocator, _allocation.NullAllocator):
            allocator(metadata.global_scratch_size, metadata.global_scratch_align, 0)  # Raises an error.
        sizes = [metadata.global_scratch_size, metadata.profile_scratch_size]
        return [np.zeros(size * blocks, np.uint8) if size > 0 else 0 for size in sizes]


def _run_for_gpu(run: Callable[..., Any]) -> Callable[..., Any]:
    """Takes the place of Autotuner.run, and keeps the chosen configurations of each GPU separately."""
    caches: WeakKeyDictionary[Any, Dict[int, Any]] = WeakKeyDictionary()

    def run_for_gpu(tuner: Any, *args: Any, **options: Any) -> Any:
        before = tuner.cache
        tuner.cache = caches.setdefault(tuner, {}).setdefault(driver.active.get_current_device(), {})
        try:
            return run(tuner, *args, **options)
        finally:
            tuner.cache = before

    return run_for_gpu


def _first_that_fits() -> Callable[..., List[float]]:
    """Takes the place of Autotuner._bench: the first configuration that can be compiled and fits on the GPU is the
    fastest.
    """
    chosen: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def bench(tuner: Any, *args: Any, config: Any, **meta: Any) -> List[float]:
        # Each run of the tuner has a new dictionary of arguments.
        if chosen.get(tuner) is tuner.nargs:
            return [math.inf] * 3
        given = {**meta, **config.all_kwargs()}
        if config.pre_hook is not None:
            config.pre_hook({**tuner.nargs, **given})
        try:
            tuner.fn.run(*args, **{**given, "warmup": True})._init_handles()
        except (OutOfResources, CompileTimeAssertionFailure):
            return [math.inf] * 3
        chosen[tuner] = tuner.nargs
        return [0.0] * 3

    return bench
