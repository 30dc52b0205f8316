"""Converts the arguments of Triton kernels to those of ptxlab."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np
import torch

from ._address_tables import AddressTables, bytes_of
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
    tables = AddressTables()
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


def _argument(type: str, value: Any, tables: AddressTables) -> Any:
    if type.startswith("*"):
        return 0 if value is None else _pointer(value, tables if type in ("*i64", "*u64") else None)
    return _FLOATS[type](value) if type in _FLOATS else int(value)


def _pointer(tensor: Any, tables: Optional[AddressTables] = None) -> Any:
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


def _storage(tensor: Any) -> Tuple["np.ndarray[Any, Any]", int]:
    """The bytes of a tensor's storage, and the offset of its first element."""
    tensor = getattr(tensor, "base", tensor) if not isinstance(tensor, torch.Tensor) else tensor
    if not isinstance(tensor, torch.Tensor):
        raise PtxlabError("argument-type", f"a kernel takes torch tensors, not {type(tensor).__name__}")
    if tensor.device.type != "cpu":
        message = f"a tensor is on the device {tensor.device}; ptxlab needs tensors on the CPU"
        raise PtxlabError("argument-type", message)
    return bytes_of(tensor.untyped_storage()), int(tensor.storage_offset()) * tensor.element_size()


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
