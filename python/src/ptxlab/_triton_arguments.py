"""Converts the arguments of Triton kernels to those of ptxlab."""

from __future__ import annotations

import gc
from functools import lru_cache
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
import torch

from ._device import Pointer, TensorMap
from ._errors import PtxlabError

# Storages by their addresses, in order.
Storages = List[Tuple[int, "np.ndarray[Any, Any]"]]

# The element types of tensor maps, in the order of their numbers in `tensormap.replace.tile.elemtype`.
_ELEMENTS = (
    ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32.ftz", "f64", "bf16"]
    + ["tf32", "tf32.ftz", "b4x16", "b4x16_p64", "b6x16_p32"]
)


def passed_arguments(types: Sequence[Any], metas: Sequence[Any], args: Sequence[Any]) -> Iterator[Any]:
    """Yields the arguments that a kernel takes. `types` are those of its signature, `metas` describe its tensor
    descriptors.
    """
    maps = iter(metas)
    live = lru_cache(_live_storages)
    for type, value in _flat(types, args):
        if isinstance(type, str) and type.startswith("tensordesc"):
            yield from _descriptor(value, next(maps, None))
        elif type != "constexpr":
            yield _argument(type, value, live)


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


def _argument(type: str, value: Any, live: Callable[[], Storages]) -> Any:
    if type.startswith("*"):
        return 0 if value is None else _pointer(value, live if type in ("*i64", "*u64") else None)
    return _FLOATS[type](value) if type in _FLOATS else int(value)


def _pointer(tensor: Any, live: Optional[Callable[[], Storages]] = None) -> Any:
    """A kernel may use the strides of a tensor, so the whole storage is on the device. `live` returns the storages whose
    addresses the tensor may hold.
    """
    memory, offset = _storage(tensor)
    if memory.size == 0:
        return 0
    return Pointer(memory, offset, addresses=None if live is None else _addresses_in(memory, live))


# The addresses of user space on the machines that Triton supports.
_LEAST_ADDRESS, _MOST_ADDRESS = 1 << 32, 1 << 56


def _addresses_in(memory: "np.ndarray[Any, Any]", live: Callable[[], Storages]) -> Dict[int, Pointer]:
    """The integers of a storage that are addresses of tensors, such as those of the matrices of a grouped product."""
    words = memory[: memory.size & ~7].view(np.uint64)
    (places,) = np.nonzero((words >= _LEAST_ADDRESS) & (words < _MOST_ADDRESS))
    if places.size == 0:
        return {}
    storages = live()
    starts = np.array([start for start, _ in storages], np.uint64)
    sizes = np.array([storage.size for _, storage in storages], np.uint64)
    which = np.maximum(np.searchsorted(starts, words[places], "right") - 1, 0)
    # Below the first storage, the differences wrap around and are larger than any size.
    offsets = words[places] - starts[which]
    (inside,) = np.nonzero(offsets < sizes[which])
    return {8 * int(places[one]): Pointer(storages[which[one]][1], int(offsets[one])) for one in inside}


def _live_storages() -> Storages:
    """The storages of all tensors on the CPU with their addresses, sorted. Python keeps no other list of them."""
    storages: Dict[int, "np.ndarray[Any, Any]"] = {}
    types = _with_subclasses(torch.Tensor)
    for one in gc.get_objects():
        if type(one) not in types:
            continue
        try:
            memory, _ = _storage(one)
        except (PtxlabError, RuntimeError):  # It is not on the CPU, or it has no storage.
            continue
        if memory.size > 0:
            storages[memory.ctypes.data] = memory
    return sorted(storages.items(), key=lambda item: item[0])


def _with_subclasses(type: Any) -> Set[Any]:
    return {type}.union(*map(_with_subclasses, type.__subclasses__()))


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
