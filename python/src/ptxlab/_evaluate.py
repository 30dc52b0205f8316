"""Evaluates one instruction for whole arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._arrays import convert
from ._errors import PtxlabError
from ._formats import float_format
from ._functions import _named
from ._server import shared

# The number of elements that are evaluated with one request. The server is fastest with messages of about 100 kB.
_PIECE = 4096

_floats = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


@dataclass(frozen=True)
class Operand:
    """A source operand of an instruction, such as `a` with type `f32` and 32 bits."""

    name: str
    type: str
    width: int


def evaluate(
    inst: str, *inputs: Any, target: Optional[str] = None, isa: Optional[str] = None
) -> Union["np.ndarray[Any, Any]", Tuple["np.ndarray[Any, Any]", ...]]:
    """Evaluates one instruction for every element of its inputs, which are broadcast against each other.

    Integers are register bits, in two's complement if they are negative. Floats are values, which are rounded to the
    format of an operand of a float type. For `.b32` and other bit types, the bits of floats of the same width are used.
    Inputs of any other type raise PtxlabError `argument-type`, and values that do not fit raise `argument-size`. The
    results are unsigned integers that contain the result bits; `view` turns them into floats.
    """
    options = _named(target=target, isa=isa)
    given = [np.asarray(one) for one in inputs]
    operands = _operands_of(inst, len(given), target, isa)
    if operands is None:
        shared().ask("evaluate", inst=inst, rows=[["0"] * len(given)], **options)
        raise PtxlabError("argument-type", f"the types of the operands of {inst} are not known")
    columns = [
        _bits_of(one, operand, f"input {i} ({operand.name})")
        for i, (one, operand) in enumerate(zip(given, operands))
    ]
    return _evaluate_bits(inst, columns, options)


def _operands_of(inst: str, count: int, target: Optional[str], isa: Optional[str]) -> Optional[Sequence[Operand]]:
    """The source operands of an instruction; None if it cannot be evaluated. The server then reports why."""
    try:
        found = _sources(inst, target, isa)
    except PtxlabError:
        return None
    if len(found) == count:
        return found
    # A list in braces has an element for each part of a register.
    if len(found) == 1 and inst.startswith("mov.") and count > 0:
        name, width = found[0].name, found[0].width // count
        return [Operand(f"{name}{i}", f"b{width}", width) for i in range(count)]
    return None


@lru_cache(maxsize=1024)
def _sources(inst: str, target: Optional[str], isa: Optional[str]) -> Sequence[Operand]:
    explained = shared().ask("explain", text=inst, **_named(target=target, isa=isa))["explanation"]
    return [
        Operand(one["name"], one["type"][1:], one["width"])
        for one in explained.get("operands", ())
        if one["role"] == "read"
    ]


def _bits_of(array: "np.ndarray[Any, Any]", operand: Operand, where: str) -> "np.ndarray[Any, Any]":
    """The bits of an input, as unsigned integers."""
    format = float_format(array)
    if format is not None or array.dtype.kind == "f":
        return _float_bits(array, format, operand, where)
    if "int" in array.dtype.name and array.dtype.kind not in "iu":  # The narrow integers of ml_dtypes.
        array = array.astype(np.int64)
    if array.dtype.kind not in "biu":
        found = f"{where} is an array of {array.dtype}"
        raise PtxlabError("argument-type", f"{found}; {operand.type} takes integers or floats")
    return _integer_bits(array, operand, where)


def _integer_bits(array: "np.ndarray[Any, Any]", operand: Operand, where: str) -> "np.ndarray[Any, Any]":
    width = operand.width
    # For 128-bit registers, inputs are non-negative 64-bit integers.
    least, most = (0 if width > 64 else -(1 << (width - 1))), (1 << width) - 1
    if array.size > 0:
        for extreme in (int(array.min()), int(array.max())):
            if not least <= extreme <= most:
                raise PtxlabError("argument-size", f"{where} is {extreme}; {operand.type} takes {least} to {most}")
    bits = array.astype(np.int64).view(np.uint64) if array.dtype.kind == "i" else array.astype(np.uint64)
    return (bits & np.uint64(min(most, 2**64 - 1))).astype(_unsigned(width))


def _float_bits(
    array: "np.ndarray[Any, Any]", format: Optional[str], operand: Operand, where: str
) -> "np.ndarray[Any, Any]":
    size, type = array.dtype.itemsize, operand.type
    is_same = format == type or (type.startswith("b") and type != "bf16" and 8 * size == operand.width)
    if not is_same and (type in _floats or type == "bf16"):
        array = _rounded(_native(array), type, where)
    elif not is_same:
        found = f"{where} is an array of {array.dtype}, whose values {type} does not take"
        raise PtxlabError("argument-type", f"{found}; pass its bits as {operand.width}-bit unsigned integers")
    return _native(array).view(_unsigned(8 * array.dtype.itemsize))


def _rounded(array: "np.ndarray[Any, Any]", type: str, where: str) -> "np.ndarray[Any, Any]":
    """Rounds values to another float format. Raises an error if a finite value becomes infinite."""
    if type == "bf16":
        result = convert(array, type)
        values = (result.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    else:
        with np.errstate(over="ignore", under="ignore"):
            result = values = array.astype(_floats[type])
    lost = np.isinf(values) & np.isfinite(array)
    if lost.any():
        raise PtxlabError("argument-size", f"{where} is {array[lost].flat[0]}, which is out of range for {type}")
    return result


def _native(array: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Makes an array contiguous and gives it the byte order of this machine."""
    return np.asarray(array, array.dtype.newbyteorder("="), order="C")


def _unsigned(width: int) -> "np.dtype[Any]":
    return np.dtype(f"u{next((size for size in (1, 2, 4, 8) if width <= 8 * size), 8)}")


def _evaluate_bits(
    inst: str, columns: Sequence["np.ndarray[Any, Any]"], options: Dict[str, Any]
) -> Union["np.ndarray[Any, Any]", Tuple["np.ndarray[Any, Any]", ...]]:
    arrays = np.broadcast_arrays(*columns)
    shape: Tuple[int, ...] = arrays[0].shape if arrays else ()
    flat = [np.ascontiguousarray(one).reshape(-1) for one in arrays]
    out: List[Any] = []
    for start in range(0, flat[0].size if flat else 1, _PIECE):
        rows = list(zip(*(_hex(one[start : start + _PIECE]) for one in flat))) if flat else [()]
        out += shared().ask("evaluate", inst=inst, rows=rows, **options)["out"]
    if out and isinstance(out[0], list):
        return tuple(_numbers([row[i] for row in out], shape) for i in range(len(out[0])))
    return _numbers(out, shape)


def _hex(array: "np.ndarray[Any, Any]") -> List[str]:
    digits = 2 * array.dtype.itemsize
    text = array.astype(array.dtype.newbyteorder(">")).tobytes().hex()
    return [text[i : i + digits] for i in range(0, len(text), digits)]


def _numbers(out: Sequence[str], shape: Tuple[int, ...]) -> "np.ndarray[Any, Any]":
    """Converts results from hexadecimal. All of them have the same number of digits."""
    digits = len(out[0]) if out else 8
    if digits in (2, 4, 8, 16):
        whole = np.frombuffer(bytes.fromhex("".join(out)), f">u{digits // 2}")
        return whole.astype(whole.dtype.newbyteorder("=")).reshape(shape)
    return np.array([int(text, 16) for text in out], _unsigned(4 * digits) if digits <= 16 else object).reshape(shape)
