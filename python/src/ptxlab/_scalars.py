"""Converts numbers, by value, to the bytes of kernel parameters."""

from __future__ import annotations

import math
import operator
from typing import Any, Dict, Optional

import numpy as np

from ._errors import PtxlabError
from ._formats import float_format

_floats = {"f16": np.float16, "f32": np.float32, "f64": np.float64}


def scalar_argument(value: Any, index: int, parameter: Optional[Dict[str, Any]]) -> Dict[str, Any]:
    """A number as an argument of a launch. If the kernel has no parameter for it, the server reports how many
    parameters there are.
    """
    if parameter is None:
        return {"value": 0}
    if parameter["dimensions"]:
        return {"bytes": _raw_bytes(value, index, parameter).hex()}
    return {"bytes": _scalar_bytes(value, index, parameter).hex()}


def _scalar_bytes(value: Any, index: int, parameter: Dict[str, Any]) -> bytes:
    type: str = parameter["type"][1:]
    size: int = parameter["size"]
    if type.startswith("b") and float_format(value) is not None and value.dtype.itemsize == size:
        return bytes(value.tobytes())
    if type in _floats:
        return _float_bytes(value, index, parameter, _floats[type])
    whole = _integer(value)
    if whole is None:
        raise _error("argument-type", value, index, parameter, "takes an integer")
    least, most = -(1 << (8 * size - 1)), (1 << (8 * size - (type.startswith("s")))) - 1
    if not least <= whole <= most:
        raise _error("argument-size", value, index, parameter, f"ranges from {least} to {most}")
    return (whole & ((1 << 8 * size) - 1)).to_bytes(size, "little")


def _raw_bytes(value: Any, index: int, parameter: Dict[str, Any]) -> bytes:
    """For a parameter that is an array of bytes, the value must be a numpy scalar of the same size."""
    if isinstance(value, np.generic) and value.dtype.itemsize == parameter["size"]:
        return bytes(value.tobytes())
    raise _error("argument-type", value, index, parameter, f"takes a numpy scalar of {parameter['size']} bytes")


def _float_bytes(value: Any, index: int, parameter: Dict[str, Any], kind: Any) -> bytes:
    if isinstance(value, np.generic) and value.dtype == kind:
        return bytes(value.tobytes())  # The bits of a NaN stay as they are.
    number = _float(value, kind)
    if number is None:
        raise _error("argument-type", value, index, parameter, "takes a number")
    with np.errstate(over="ignore", under="ignore"):
        result = kind(number)
    if np.isinf(result) and (_whole(value) is not None or not math.isinf(number)):
        raise _error("argument-size", value, index, parameter, f"has a maximum of {np.finfo(kind).max:g}")
    return bytes(result.tobytes())


def _whole(value: Any) -> Optional[int]:
    try:
        return operator.index(value)
    except TypeError:
        return None


def _integer(value: Any) -> Optional[int]:
    """The integer that is equal to a number; None if there is no such integer."""
    whole = _whole(value)
    if whole is not None:
        return whole
    number = _float(value, np.float64)
    return int(number) if number is not None and number.is_integer() else None


def _float(value: Any, kind: Any) -> Optional[float]:
    """A float that gives the same result as the number when it is rounded to `kind`; None for other values."""
    whole = _whole(value)
    try:
        if whole is not None:
            return float(whole) if kind is np.float64 else _shortened(whole)
        return float(value) if _is_real(value) else None
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _is_real(value: Any) -> bool:
    if isinstance(value, np.generic) or hasattr(value, "dtype"):
        return value.dtype.kind in "bf" or float_format(value) is not None
    return hasattr(value, "__float__")


def _shortened(whole: int) -> float:
    """The highest 50 bits of an integer. The lowest of these is also set if a dropped bit was set, for correct
    rounding.
    """
    extra = whole.bit_length() - 50
    if extra <= 0:
        return float(whole)
    kept = abs(whole) >> extra
    if kept << extra != abs(whole):
        kept |= 1
    return math.copysign(math.ldexp(kept, extra), whole)


def _error(code: str, value: Any, index: int, parameter: Dict[str, Any], takes: str) -> PtxlabError:
    shown = repr(value)
    shown = shown if len(shown) <= 80 else f"{shown[:80]}..."
    return PtxlabError(code, f"argument {index} is {shown}; parameter {parameter['type']} {parameter['name']} {takes}")
