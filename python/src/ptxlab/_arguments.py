"""The arguments of kernels."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, Mapping, Optional, Sequence, Union

import numpy as np

from ._buffer import Buffer
from ._copies import ADDRESS_BYTES, Address, Copies, HostArray
from ._errors import PtxlabError
from ._formats import as_array
from ._functions import _named
from ._scalars import scalar_argument


class Pointer:
    """An argument that is the address of the byte at `offset` in a Buffer, or in an array that is copied to the device
    and back as a whole.

    Such an array may hold addresses itself, like the list of matrices of a batched product: `addresses` maps the
    offsets of their eight bytes to an array, a Buffer or a Pointer each. If the kernel moves such an address within the
    memory of the launch, the address on the host moves as well. Other addresses that the kernel stores are copied back
    as addresses of the device.
    Raises PtxlabError `argument-type` if `addresses` contains anything else.
    """

    def __init__(self, memory: Any, offset: int = 0, *, addresses: Optional[Mapping[int, Any]] = None) -> None:
        self.memory = memory
        self.offset = operator.index(offset)
        self.addresses: Dict[int, Any] = {}
        if addresses is not None and not isinstance(addresses, Mapping):
            raise PtxlabError("argument-type", f"`addresses` must be a dict, not {type(addresses).__name__}")
        for at, one in (addresses or {}).items():
            if not _is_memory(one):
                what = f"an array, a Buffer or a Pointer, not {type(one).__name__}"
                raise PtxlabError("argument-type", f"what the address at {at} points to must be {what}")
            self.addresses[operator.index(at)] = one


def _is_memory(one: Any) -> bool:
    return hasattr(one, "data_ptr") or isinstance(one, (np.ndarray, Buffer, Pointer))


class TensorMap:
    """An argument that describes a tensor and the parts that are copied, like the tensor maps of cuTensorMapEncodeTiled
    and cuTensorMapEncodeIm2col.

    `tensor` is a Buffer, or an array that is copied to the device and back. Lists begin with the innermost dimension.
    For an array, the type and the dimensions are known; `type` overrides the type, for formats such as tf32. Either
    `box` or `im2col` is given. `im2col` has the keys of the library's `Im2colOptions`: lowerCorner, upperCorner,
    channelsPerPixel and pixelsPerColumn.
    """

    def __init__(
        self,
        tensor: Any,
        box: Optional[Sequence[int]] = None,
        *,
        im2col: Optional[Mapping[str, Any]] = None,
        type: Optional[str] = None,
        dimensions: Optional[Sequence[int]] = None,
        strides: Optional[Sequence[int]] = None,
        element_strides: Optional[Sequence[int]] = None,
        swizzle: Optional[int] = None,
        swizzle_atom: Union[int, str, None] = None,
        fill: Optional[str] = None,
    ) -> None:
        self.tensor = tensor
        if not isinstance(tensor, Buffer):
            array, _ = as_array(tensor)
            type = type or _element_type(array.dtype)
            dimensions = dimensions or array.shape[::-1]
        lists = _named(box=box, dimensions=dimensions, strides=strides, elementStrides=element_strides)
        self._options = {name: [int(one) for one in values] for name, values in lists.items()}
        self._options.update(_named(type=type, swizzle=swizzle, swizzleAtom=swizzle_atom, fill=fill, im2col=im2col))

    def _argument(self, buffer: int) -> Dict[str, Any]:
        return {"tensorMap": {"buffer": buffer, **self._options}}


class Texture:
    """An argument that a kernel reads as a texture, like the objects that cudaCreateTextureObject creates.

    `texels` is a Buffer, or an array that is copied to the device. For an array, the type and the size are known. If
    `channels` is more than 1, the last axis of the array contains the channels. Layers are the first axis, and the six
    faces of a cube are the next axis. `size` is a list: the width, the width and height, or the width, height and
    depth.
    """

    _key = "texture"

    def __init__(
        self,
        texels: Any,
        *,
        type: Optional[str] = None,
        channels: int = 1,
        size: Optional[Sequence[int]] = None,
        layers: Optional[int] = None,
        cube: Optional[bool] = None,
        row_bytes: Optional[int] = None,
        levels: Optional[int] = None,
        address_mode: Union[str, Sequence[str], None] = None,
        filter: Optional[str] = None,
        level_filter: Optional[str] = None,
        normalized_coordinates: Optional[bool] = None,
        normalized_texels: Optional[bool] = None,
        border: Optional[Sequence[float]] = None,
        level_bias: Optional[float] = None,
        least_level: Optional[float] = None,
        greatest_level: Optional[float] = None,
    ) -> None:
        self.texels = texels
        if not isinstance(texels, Buffer):
            array, _ = as_array(texels)
            type = type or f"{'s' if array.dtype.kind == 'i' else array.dtype.kind}{8 * array.dtype.itemsize}"
            if size is None:
                size = _size_of(array.shape, channels, layers, cube)
        self._options = _named(
            type=type,
            channels=channels,
            size=None if size is None else [operator.index(one) for one in size],
            layers=layers,
            cube=cube,
            rowBytes=row_bytes,
            levels=levels,
            normalizedCoordinates=normalized_coordinates,
            normalizedTexels=normalized_texels,
            **_sampling(address_mode, filter, level_filter, border, level_bias, least_level, greatest_level),
        )

    def _argument(self, buffer: int) -> Dict[str, Any]:
        return {self._key: {"buffer": buffer, **self._options}}


def _sampling(
    address_mode: Union[str, Sequence[str], None],
    filter: Optional[str],
    level_filter: Optional[str],
    border: Optional[Sequence[float]],
    level_bias: Optional[float],
    least_level: Optional[float],
    greatest_level: Optional[float],
) -> Dict[str, Any]:
    """The options that textures and samplers share."""
    return {
        "addressMode": address_mode,
        "filter": filter,
        "levelFilter": level_filter,
        "border": None if border is None else [float(one) for one in border],
        "levelBias": level_bias,
        "leastLevel": least_level,
        "greatestLevel": greatest_level,
    }


def _size_of(shape: Sequence[int], channels: int, layers: Optional[int], cube: Optional[bool]) -> Sequence[int]:
    """The size of a texture. `shape` may also have axes for layers, cube faces and channels."""
    inner = list(shape)
    if channels > 1 and inner.pop() != channels:
        raise ValueError(f"the last axis of an array of shape {tuple(shape)} does not have {channels} channels")
    if layers is not None and inner.pop(0) != layers:
        raise ValueError(f"the first axis of an array of shape {tuple(shape)} does not have {layers} layers")
    if cube and inner.pop(0) != 6:
        raise ValueError(f"an array of shape {tuple(shape)} does not have an axis for six faces")
    return inner[::-1]


class Surface(Texture):
    """An argument that a kernel reads and writes as a surface, like the objects that cudaCreateSurfaceObject creates.

    The arguments have the same meaning as for a Texture. An array is copied to the device and back.
    """

    _key = "surface"

    def __init__(
        self,
        texels: Any,
        *,
        type: Optional[str] = None,
        channels: int = 1,
        size: Optional[Sequence[int]] = None,
        layers: Optional[int] = None,
        cube: Optional[bool] = None,
        row_bytes: Optional[int] = None,
    ) -> None:
        super().__init__(
            texels, type=type, channels=channels, size=size, layers=layers, cube=cube, row_bytes=row_bytes
        )


class Sampler:
    """How texels are read, for a parameter or a variable of type .samplerref."""

    def __init__(
        self,
        *,
        address_mode: Union[str, Sequence[str], None] = None,
        filter: Optional[str] = None,
        level_filter: Optional[str] = None,
        border: Optional[Sequence[float]] = None,
        level_bias: Optional[float] = None,
        least_level: Optional[float] = None,
        greatest_level: Optional[float] = None,
        forces_texel_coordinates: Optional[bool] = None,
    ) -> None:
        self._options = _named(
            **_sampling(address_mode, filter, level_filter, border, level_bias, least_level, greatest_level),
            forcesTexelCoordinates=forces_texel_coordinates,
        )


def _element_type(dtype: "np.dtype[Any]") -> str:
    """The element type of a tensor; all one-byte formats count as bytes."""
    if dtype.itemsize == 1:
        return "u8"
    if dtype.kind in "iuf":
        is_signed = dtype.kind == "i" and dtype.itemsize > 2
        return ("s" if is_signed else "f" if dtype.kind == "f" else "u") + str(8 * dtype.itemsize)
    return "bf16" if dtype.name == "bfloat16" else dtype.name


# No parameter is larger than this.
_MOST_STRUCT_BYTES = 1 << 15


class Struct:
    """A structure that is passed by value, like the parameters of CUTLASS kernels.

    `contents` is its bytes, as bytes, an array or a numpy scalar of a structured type, or only its size. `parts` maps
    offsets in bytes to what is stored there: an array, a tensor, a Buffer or a Pointer, whose addresses take 8 bytes, a
    TensorMap, bytes, or a number with a type, such as `numpy.float32(1.5)`. Arrays are copied to the device and back.
    Raises PtxlabError `argument-type` if `parts` contains anything else, and `argument-size` if the size is negative or
    more than 32 KiB.
    """

    def __init__(self, contents: Any, parts: Optional[Mapping[int, Any]] = None) -> None:
        if isinstance(contents, (int, np.integer)):
            if not 0 <= contents <= _MOST_STRUCT_BYTES:
                raise PtxlabError("argument-size", f"a structure cannot have {contents} bytes")
            self.contents = bytes(int(contents))
        else:
            self.contents = contents if isinstance(contents, bytes) else np.asarray(contents).tobytes()
        if parts is not None and not isinstance(parts, Mapping):
            raise PtxlabError("argument-type", f"`parts` must be a dict, not {type(parts).__name__}")
        self.parts: Dict[int, Any] = {}
        for at, one in (parts or {}).items():
            if not _is_memory(one) and not isinstance(one, (TensorMap, bytes, np.generic)):
                hint = "; numbers need a type, as in numpy.float32(1.5)" if isinstance(one, (int, float)) else ""
                raise PtxlabError("argument-type", f"a Struct cannot hold {type(one).__name__} at {at}{hint}")
            self.parts[operator.index(at)] = one

    def _prepared(self, copies: Copies) -> "Passed":
        parts = [(at, _part(one, copies)) for at, one in self.parts.items()]
        contents = self.contents.hex()
        return lambda: {"struct": {"bytes": contents, "parts": [{"at": at, **part()} for at, part in parts]}}


def _part(one: Any, copies: Copies) -> "Passed":
    if isinstance(one, TensorMap):
        return describe(one, copies)
    if isinstance(one, (bytes, np.generic)):
        stored = one if isinstance(one, bytes) else one.tobytes()
        return lambda: {"bytes": stored.hex()}
    address = _address(one, copies)
    return lambda: {"bytes": address().to_bytes(ADDRESS_BYTES, "little").hex()}


class Shared:
    """Reserves part of a block's shared memory for a pointer to shared memory (`.ptr .shared`). `size` is in bytes."""

    def __init__(self, size: int) -> None:
        self.size = size


_kinds = {Buffer: "a buffer", Pointer: "a pointer"}

# Returns the argument to pass to the kernel. It is known once the arrays are on the device.
Passed = Callable[[], Dict[str, Any]]


def prepare(one: Any, index: int, parameter: Optional[Dict[str, Any]], copies: Copies) -> Passed:
    """An argument of a launch."""
    if isinstance(one, Shared):
        size = one.size
        return lambda: {"shared": size}
    if isinstance(one, (TensorMap, Texture, Sampler)):
        return describe(one, copies)
    if isinstance(one, Struct):
        return one._prepared(copies)
    if not _is_memory(one) and np.ndim(one) == 0:
        scalar = scalar_argument(one, index, parameter)
        return lambda: scalar
    if parameter is not None and parameter["type"].startswith(".f"):
        what = f"argument {index} is {_kinds.get(type(one), 'an array')}"
        raise PtxlabError("argument-type", f"{what}; parameter {parameter['type']} {parameter['name']} takes a number")
    if isinstance(one, Buffer):
        handle = _own(one, copies).handle
        return lambda: {"buffer": handle}
    if isinstance(one, Pointer):
        return _inside(one, index, parameter, copies)
    return _pointer(copies.add(one, _takes_addresses(parameter)), parameter)


def _takes_addresses(parameter: Optional[Dict[str, Any]]) -> bool:
    """Whether any global address can be passed. For pointers to other state spaces, the whole buffer is copied."""
    if parameter is None or parameter["dimensions"] or parameter["size"] not in (4, 8):
        return False
    pointer = parameter["pointer"]
    return pointer is None or pointer["space"] in (None, ".global")


def _pointer(array: HostArray, parameter: Optional[Dict[str, Any]]) -> Passed:
    def passed() -> Dict[str, Any]:
        if array.offset == 0 or parameter is None:
            return {"buffer": array.buffer}
        return {"bytes": array.address.to_bytes(parameter["size"], "little").hex()}

    return passed


def _inside(one: Pointer, index: int, parameter: Optional[Dict[str, Any]], copies: Copies) -> Passed:
    if not _takes_addresses(parameter):
        raise PtxlabError("argument-type", f"argument {index} is a pointer; its parameter takes no global address")
    address = _address(one, copies)
    size = ADDRESS_BYTES if parameter is None else parameter["size"]

    def passed() -> Dict[str, Any]:
        value = address()
        if not 0 <= value < 1 << 8 * size:
            raise PtxlabError("argument-size", f"argument {index}: the offset {one.offset} is too large or too small")
        return {"bytes": value.to_bytes(size, "little").hex()}

    return passed


def _own(buffer: Buffer, copies: Copies) -> Buffer:
    copies.require_own(buffer._server, buffer._device)
    return buffer


def _address(one: Any, copies: Copies) -> Address:
    """The address of an array, a Buffer or a Pointer. Arrays are copied to the device, and so are those to which the
    addresses in them point.
    """
    if isinstance(one, Buffer):
        buffer = _own(one, copies)
        return lambda: buffer.address
    if not isinstance(one, Pointer):
        array = copies.add(one, True)
        return lambda: array.address
    offset = one.offset
    if isinstance(one.memory, Buffer):
        if one.addresses:
            raise PtxlabError("argument-type", "only an array can have `addresses`, not a Buffer")
        buffer = _own(one.memory, copies)
        return lambda: buffer.address + offset
    holder = _holder(one, copies)
    return lambda: holder.address + offset


def _holder(one: Pointer, copies: Copies) -> HostArray:
    """The array of a pointer, with the addresses in it. They may lead back to this array."""
    key = (id(one.memory), id(one.addresses) if one.addresses else 0)
    known = copies.pointers.get(key)
    if known is not None:
        return known
    holder = copies.pointers[key] = copies.add(one.memory, True)
    for at, target in one.addresses.items():
        if not 0 <= at <= holder.array.nbytes - ADDRESS_BYTES:
            raise PtxlabError("argument-size", f"an array of {holder.array.nbytes} bytes has no address at {at}")
        holder.addresses[at] = _address(target, copies)
    return holder


def describe(one: Union[TensorMap, Texture, Sampler], copies: Copies) -> Passed:
    """Describes a tensor map, texture or sampler to the server. Its array, if any, is copied to the device."""
    if isinstance(one, Sampler):
        options = one._options
        return lambda: {"sampler": options}
    argument = one._argument
    holder = one.tensor if isinstance(one, TensorMap) else one.texels
    if isinstance(holder, Buffer):
        handle = _own(holder, copies).handle
        return lambda: argument(handle)
    array = copies.add(holder, False)
    return lambda: argument(array.buffer)
