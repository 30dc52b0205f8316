"""Number formats of arrays: those of numpy, of ml_dtypes and of torch."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

# Maps names of dtypes to ptxlab's formats.
_formats = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
    "float8_e8m0fnu": "ue8m0",
    "float6_e2m3fn": "e2m3",
    "float6_e3m2fn": "e3m2",
    "float4_e2m1fn": "e2m1",
    "int2": "s2",
    "int4": "s4",
    "int8": "s8",
    "int16": "s16",
    "int32": "s32",
    "int64": "s64",
    "uint2": "u2",
    "uint4": "u4",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
}

# Dtypes whose elements are narrower than a byte. ml_dtypes stores one element in each byte.
_narrow = ("float4_e2m1fn", "int2", "int4", "uint2", "uint4")

# Dtypes of results. Results in other formats have a dtype of ml_dtypes, or are bytes or 16-bit words.
_results = {
    "f64": np.float64,
    "f32": np.float32,
    "tf32": np.float32,
    "f16": np.float16,
    "s8": np.int8,
    "s16": np.int16,
    "s32": np.int32,
    "s64": np.int64,
    "u16": np.uint16,
    "u32": np.uint32,
    "u64": np.uint64,
}

_of_ml_dtypes = {"bf16": "bfloat16", "e4m3": "float8_e4m3fn", "e5m2": "float8_e5m2", "ue8m0": "float8_e8m0fnu"}


def as_array(value: Any) -> Tuple["np.ndarray[Any, Any]", Optional[str]]:
    """A contiguous array in the byte order of this machine, copied only if necessary, and its format.

    The format is None if only the bytes are known.
    """
    if type(value).__module__.split(".")[0] == "torch":
        return _of_torch(value)
    array = np.asarray(value, order="C")
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array, _formats.get(array.dtype.name)


def float_format(value: Any) -> Optional[str]:
    """The format of the floats in a numpy array or scalar; None if they are not floats."""
    name: str = value.dtype.name if isinstance(value, (np.ndarray, np.generic)) else ""
    return _formats.get(name) if "float" in name else None


# Types of torch that numpy has as well.
_SHARED_WITH_NUMPY = {"float64", "float32", "float16", "int8", "int16", "int32", "int64", "uint8"}


def _of_torch(tensor: Any) -> Tuple["np.ndarray[Any, Any]", Optional[str]]:
    import torch

    name = str(tensor.dtype).split(".")[-1]
    whole = tensor.detach().contiguous()
    if whole.device.type != "cpu":
        raise TypeError(f"ptxlab takes tensors on the CPU, not on {whole.device}")
    array = whole.view(torch.uint8).numpy().view(np.uint16 if whole.element_size() == 2 else np.uint8)
    return (whole.numpy() if name in _SHARED_WITH_NUMPY else array), _formats.get(name)


def format_of(name: Any) -> str:
    """The format that a name or a dtype stands for. The server checks names that are not known here."""
    text = name if isinstance(name, str) else np.dtype(name).name
    return _formats.get(text, text)


def packing_of(array: "np.ndarray[Any, Any]") -> Optional[str]:
    """How the elements of an array are packed; None if they have the usual packing of the format."""
    return "bytes" if array.dtype.name in _narrow else None


def result_dtype(format_name: str) -> "np.dtype[Any]":
    """The dtype for elements of a format."""
    known = _results.get(format_name)
    if known is not None:
        return np.dtype(known)
    try:
        import ml_dtypes

        named: Any = getattr(ml_dtypes, _of_ml_dtypes.get(format_name, ""), None)
        if named is not None:
            found: "np.dtype[Any]" = np.dtype(named)
            return found
    except ImportError:
        pass
    return np.dtype(np.uint16 if format_name == "bf16" else np.uint8)
