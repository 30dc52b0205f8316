"""Runs Triton kernels without a GPU. Triton compiles them to PTX, and ptxlab runs the PTX on tensors in CPU memory:

    import torch, triton, ptxlab.triton

    ptxlab.triton.activate("sm_90")
    x, y = torch.rand(1000), torch.empty(1000)
    kernel[(4,)](x, y, len(x), BLOCK=256)

Needs torch, and Triton 3.6 or newer.
"""

from __future__ import annotations

import math
import re
import warnings
from functools import partial
from itertools import count
from types import SimpleNamespace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple
from weakref import WeakKeyDictionary

import numpy as np
import torch
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.compiler.errors import CompileTimeAssertionFailure
from triton.runtime import _allocation, driver
from triton.runtime.autotuner import Autotuner
from triton.runtime.errors import OutOfResources

from ._device import Device, Kernel, Pointer, TensorMap
from ._errors import Fault, PtxlabError
from ._server import shared

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

# The element types of tensor maps, in the order of their numbers in `tensormap.replace.tile.elemtype`.
_ELEMENTS = (
    ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16"]
    + ["tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"]
)


class Activation:
    """Ends when `deactivate` is called, or at the end of a `with` block."""

    def __init__(self, gpu: str, options: Mapping[str, Any]) -> None:
        self._driver = _driver_of(gpu)
        self._options = options
        self._driver.result = None
        if not _activations:
            _replaced.put()
        _activations.append(self)
        self._use()

    @property
    def result(self) -> Optional[Dict[str, Any]]:
        """What the last launch returned: `stats`, `printed` and `races`. None if it did not run to its end."""
        return self._driver.result

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
        self._driver.options = self._options
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
    Raises PtxlabError if the GPU is unknown. Launches raise Fault if the kernel faults.
    """
    if knobs.runtime.interpret:
        warnings.warn("TRITON_INTERPRET is set, so Triton interprets its kernels and does not run them on ptxlab")
    return Activation(gpu, options)


class _Driver:
    """What Triton asks of the driver of a GPU."""

    def __init__(self, gpu: str) -> None:
        self.device = Device(gpu=gpu)
        self.options: Mapping[str, Any] = {}
        self.result: Optional[Dict[str, Any]] = None
        self._architecture = int(gpu[len("sm_") :])
        self.utils = SimpleNamespace(
            get_device_properties=self._properties, load_binary=self._load
        )
        self.launcher_cls = partial(_Launch, self)
        self._number = next(_numbers)

    def is_active(self) -> bool:
        return True

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", self._architecture, 32)

    def get_current_device(self) -> int:
        """Triton keeps compiled kernels and limits by this number, so each device has its own."""
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
        return None, self.device.module(ptx.decode()).kernel(name), registers, spills, threads


_numbers = count(1)
_drivers: Dict[str, _Driver] = {}


def _driver_of(gpu: str) -> _Driver:
    """The driver of a GPU. It is kept, so that a kernel is compiled only once even if the GPU is activated again."""
    if not isinstance(gpu, str) or re.fullmatch(r"sm_\d+", gpu) is None:
        raise PtxlabError("unknown-gpu", f"Triton compiles for a GPU such as sm_90, not for {gpu!r}")
    known = _drivers.get(gpu)
    # A forked process has a server of its own.
    if known is None or known.device._server is not shared():
        known = _drivers[gpu] = _Driver(gpu)
    return known


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
        driver = self._driver
        driver.result = None
        if x * y * z == 0:
            return
        if enter is not None:
            enter(about)
        metadata = self._metadata
        blocks = [x * metadata.num_ctas, y, z]
        passed = list(self._passed(args))
        passed += self._scratch(math.prod(blocks))[: len(kernel.parameters) - len(passed)]
        try:
            driver.result = kernel[blocks, [32 * metadata.num_warps, 1, 1]](*passed, **self._options, **driver.options)
        except Fault as fault:
            print(fault.data["printed"], end="")
            raise
        print(driver.result["printed"], end="")
        if leave is not None:
            leave(about)

    def _scratch(self, blocks: int) -> List[Any]:
        """Memory that the kernel needs for itself, such as for the tensor maps that it makes."""
        metadata = self._metadata
        allocator = _allocation._allocator.get()
        if metadata.global_scratch_size > 0 and isinstance(allocator, _allocation.NullAllocator):
            allocator(metadata.global_scratch_size, metadata.global_scratch_align, 0)  # Raises an error.
        sizes = [metadata.global_scratch_size, metadata.profile_scratch_size]
        return [np.zeros(size * blocks, np.uint8) if size > 0 else 0 for size in sizes]

    def _passed(self, args: Sequence[Any]) -> Iterator[Any]:
        maps = iter(self._maps)
        for type, value in _flat(self._types, args):
            if isinstance(type, str) and type.startswith("tensordesc"):
                yield from _descriptor(value, next(maps, None))
            elif type != "constexpr":
                yield _argument(type, value)


def _flat(types: Sequence[Any], values: Sequence[Any]) -> Iterator[Tuple[Any, Any]]:
    for type, value in zip(types, values):
        if isinstance(type, tuple):
            yield from _flat(type, value)
        else:
            yield type, value


_FLOATS: Dict[str, Callable[[float], Any]] = {
    "fp16": np.float16,
    "bf16": lambda value: np.int16(torch.tensor(value, dtype=torch.bfloat16).view(torch.int16).item()),
    "fp32": np.float32,
    "f32": np.float32,
    "fp64": np.float64,
}


def _argument(type: str, value: Any) -> Any:
    if type.startswith("*"):
        return 0 if value is None else _pointer(value)
    return _FLOATS[type](value) if type in _FLOATS else int(value)


def _pointer(tensor: Any) -> Any:
    """A kernel may use the strides of a tensor, so the whole storage is on the device."""
    memory, offset = _storage(tensor)
    return Pointer(memory, offset) if memory.size > 0 else 0


def _storage(tensor: Any) -> Tuple["np.ndarray[Any, Any]", int]:
    """The bytes of a tensor's storage, and the offset of its first element."""
    tensor = getattr(tensor, "base", tensor) if not isinstance(tensor, torch.Tensor) else tensor
    if not isinstance(tensor, torch.Tensor):
        raise PtxlabError("argument-type", f"a kernel takes torch tensors, not {type(tensor).__name__}")
    if tensor.device.type != "cpu":
        raise PtxlabError("argument-type", f"a tensor is on the device {tensor.device}; ptxlab needs tensors on the CPU")
    whole = torch.empty(0, dtype=torch.uint8).set_(tensor.untyped_storage())
    return whole.numpy(), int(tensor.storage_offset()) * tensor.element_size()


def _descriptor(descriptor: Any, meta: Any) -> Iterator[Any]:
    """Passes a tensor descriptor: as a tensor map if the GPU has them, and otherwise as a pointer with its shape."""
    shape, strides = [int(one) for one in descriptor.shape], [int(one) for one in descriptor.strides]
    if meta is not None:
        yield _tensor_map(descriptor, meta, shape, strides)
    else:
        yield _pointer(descriptor.base)
        yield from (*shape, *strides, int(descriptor.padding == "nan"))
        if hasattr(descriptor, "round_f32_to_tf32"):
            yield int(descriptor.round_f32_to_tf32)
    yield from (*shape, *strides)


def _tensor_map(descriptor: Any, meta: Mapping[str, Any], shape: List[int], strides: List[int]) -> TensorMap:
    """Triton lists dimensions from the outermost to the innermost; a TensorMap does the opposite."""
    memory, offset = _storage(descriptor.base)
    is_rounded = getattr(descriptor, "round_f32_to_tf32", False)
    dimensions = [*shape[:-1], shape[-1] * 2] if meta["fp4_padded"] else shape
    return TensorMap(
        memory[offset:],
        **(_pixels(descriptor, meta) if meta.get("is_im2col", False) else {"box": meta["block_size"][::-1]}),
        type="tf32" if is_rounded else _ELEMENTS[meta["elem_type"]],
        dimensions=dimensions[::-1],
        strides=[one * meta["elem_size"] for one in strides[:-1]][::-1],
        swizzle=(0, 32, 64, 128)[meta["swizzle"]],
        fill="nan" if descriptor.padding == "nan" else "zeros",
    )


def _pixels(descriptor: Any, meta: Mapping[str, Any]) -> Dict[str, Any]:
    pixels, channels = meta["block_size"]
    im2col = {
        "lowerCorner": list(descriptor.pixel_box_lower_corner)[::-1],
        "upperCorner": list(descriptor.pixel_box_upper_corner)[::-1],
        "channelsPerPixel": channels,
        "pixelsPerColumn": pixels,
    }
    return {"im2col": im2col, "element_strides": (descriptor.element_strides or [1] * len(descriptor.shape))[::-1]}


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
