"""Converts the arguments of Triton kernels to those of ptxlab."""

from __future__ import annotations

import gc
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

import numpy as np
import torch

from ._arguments import Pointer, TensorMap
from ._errors import PtxlabError


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
    tables = _Tables()
    for type, value in _flat(types, args):
        if isinstance(type, str) and type.startswith("tensordesc"):
            yield from _descriptor(value, next(maps, None))
        elif type != "constexpr":
            yield _argument(type, value, tables)


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


def _argument(type: str, value: Any, tables: "_Tables") -> Any:
    if type.startswith("*"):
        return 0 if value is None else _pointer(value, tables if type in ("*i64", "*u64") else None)
    return _FLOATS[type](value) if type in _FLOATS else int(value)


def _pointer(tensor: Any, tables: Optional["_Tables"] = None) -> Any:
    """A kernel may use the strides of a tensor, so the whole storage is on the device. `tables` finds the addresses in
    it.
    """
    memory, offset = _storage(tensor)
    if memory.size == 0:
        return 0
    pointer = Pointer(memory, offset)
    if tables is not None:
        pointer.addresses = tables.addresses_in(memory)
    return pointer


# The addresses of user space on the machines that Triton supports.
_LEAST_ADDRESS, _MOST_ADDRESS = 1 << 32, 1 << 56

# The number of integers that are looked at first, to tell tables of addresses from other data.
_SAMPLE = 1024


class _Tables:
    """Finds tables of addresses among the storages of a launch, such as those of the matrices of a grouped product."""

    def __init__(self) -> None:
        self._live: Optional[_Live] = None
        self._known: Dict[int, Dict[int, Pointer]] = {}

    def addresses_in(self, memory: "np.ndarray[Any, Any]") -> Dict[int, Pointer]:
        """The addresses of tensors that a storage holds, by their offsets. They may lead to further tables.

        A storage is a table if at least half of the integers that could be addresses are addresses of tensors.
        """
        start = memory.ctypes.data
        if start not in self._known:
            found = self._known[start] = {}
            self._find(memory, found)
        return self._known[start]

    def _find(self, memory: "np.ndarray[Any, Any]", found: Dict[int, Pointer]) -> None:
        words = memory[: memory.size & ~7].view(np.uint64)
        (places,) = np.nonzero((words >= _LEAST_ADDRESS) & (words < _MOST_ADDRESS))
        if places.size == 0:
            return
        if self._live is None:
            self._live = _Live()
        live = self._live
        for some in (places[:: -(-places.size // _SAMPLE)], places):
            which, offsets = live.find(words[some])
            (inside,) = np.nonzero(which >= 0)
            if 2 * inside.size < some.size:
                return
        for one in inside.tolist():
            storage, holds_integers = live.storage(int(which[one]))
            pointer = found[8 * int(places[one])] = Pointer(storage, int(offsets[one]))
            if holds_integers:
                pointer.addresses = self.addresses_in(storage)


class _Live:
    """The storages of all tensors on the CPU. Python has no other list of them than that of all objects."""

    def __init__(self) -> None:
        found: Dict[int, Tuple[int, Any, bool]] = {}
        types = _with_subclasses(torch.Tensor)
        for one in gc.get_objects():
            if type(one) not in types:
                continue
            try:
                storage = one.untyped_storage()
                start, size, is_here = storage.data_ptr(), storage.nbytes(), storage.device.type == "cpu"
                holds_integers = one.dtype in (torch.int64, torch.uint64)
            except Exception:  # A subclass may refuse anything.
                continue
            if is_here and size > 0:
                found[start] = (size, storage, holds_integers or (start in found and found[start][2]))
        self._storages = sorted(found.items(), key=lambda item: item[0])
        self._starts = np.array([start for start, _ in self._storages], np.uint64)
        self._sizes = np.array([size for _, (size, *_) in self._storages], np.uint64)
        self._bytes: Dict[int, "np.ndarray[Any, Any]"] = {}

    def find(self, words: "np.ndarray[Any, Any]") -> Tuple["np.ndarray[Any, Any]", "np.ndarray[Any, Any]"]:
        """For each word, the number of the storage that contains this address, or -1, and the offset in it. The address
        after the last byte counts as well.
        """
        which = np.searchsorted(self._starts, words, "right") - 1
        near = np.maximum(which, 0)
        # Below the first storage, the differences wrap around and are larger than any size.
        offsets = words - self._starts[near]
        return np.where(offsets <= self._sizes[near], near, -1), offsets

    def storage(self, which: int) -> Tuple["np.ndarray[Any, Any]", bool]:
        """The bytes of a storage, and whether a tensor of integers with 64 bits shows them."""
        start, (_, storage, holds_integers) = self._storages[which]
        if start not in self._bytes:
            self._bytes[start] = _bytes_of(storage)
        return self._bytes[start], holds_integers


def _with_subclasses(type: Any) -> Set[Any]:
    return {type}.union(*map(_with_subclasses, type.__subclasses__()))


def _bytes_of(storage: Any) -> "np.ndarray[Any, Any]":
    whole: "np.ndarray[Any, Any]" = torch.empty(0, dtype=torch.uint8, device="cpu").set_(storage).numpy()
    return whole


def _storage(tensor: Any) -> Tuple["np.ndarray[Any, Any]", int]:
    """The bytes of a tensor's storage, and the offset of its first element."""
    tensor = getattr(tensor, "base", tensor) if not isinstance(tensor, torch.Tensor) else tensor
    if not isinstance(tensor, torch.Tensor):
        raise PtxlabError("argument-type", f"a kernel takes torch tensors, not {type(tensor).__name__}")
    if tensor.device.type != "cpu":
        message = f"a tensor is on the device {tensor.device}; ptxlab needs tensors on the CPU"
        raise PtxlabError("argument-type", message)
    return _bytes_of(tensor.untyped_storage()), int(tensor.storage_offset()) * tensor.element_size()


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
