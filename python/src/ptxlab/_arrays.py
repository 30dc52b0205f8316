"""Conversion and quantization of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional, Tuple

import numpy as np

from ._formats import as_array, format_of, packing_of, result_dtype
from ._functions import _named
from ._errors import PtxlabError
from ._server import shared


def convert(
    source: Any,
    to: Any,
    *,
    from_: Optional[Any] = None,
    rounding: Optional[str] = None,
    saturate: Optional[bool] = None,
    relu: Optional[bool] = None,
    ftz: Optional[bool] = None,
    semantics: Optional[str] = None,
    seed: Optional[int] = None,
    source_packing: Optional[str] = None,
    packing: Optional[str] = None,
) -> "np.ndarray[Any, Any]":
    """Converts an array to another number format, bit for bit as PTX does.

    If a format has no numpy dtype, the result has a dtype of ml_dtypes. If ml_dtypes is not installed, the result
    consists of bytes (uint16 words for bf16). `to` is the name of a format or a dtype. `from_` names the format of an
    array of bytes or words, and `source_packing` says how its elements are packed if they are narrower than a byte.
    """
    array, own = as_array(source)
    format_name = own if from_ is None else format_of(from_)
    if format_name is None:
        why = "could have several formats" if array.dtype.kind in "uV" else "is not a format of PTX"
        raise PtxlabError("format-needed", f"{array.dtype} {why}: name one in from_")
    target = format_of(to)
    options = _named(
        rounding=rounding,
        saturate=saturate,
        relu=relu,
        ftz=ftz,
        semantics=semantics,
        seed=seed,
        sourcePacking=source_packing or packing_of(array),
        packing=packing,
    )
    server = shared()
    with server.file() as data, server.file() as into:
        sides = {"from": format_name, "to": target}
        server.ask("convert", data=data.put(array), into={"file": into.name}, **sides, **options)
        result = into.get(result_dtype(target))
    return result.reshape(array.shape) if result.size == array.size else result


@dataclass(frozen=True)
class Quantized:
    """A quantized array: its codes and scales, and what is needed to read them back."""

    scheme: str
    shape: Tuple[int, ...]
    packing: str
    granularity: Optional[str]
    codes: "np.ndarray[Any, Any]"
    scales: "np.ndarray[Any, Any]"
    tensor_scale: float

    def dequantize(self) -> "np.ndarray[Any, Any]":
        """The values as float32."""
        return dequantize(self)


def quantize(
    source: Any,
    to: str,
    *,
    granularity: Optional[str] = None,
    scale_rule: Optional[str] = None,
    packing: Optional[str] = None,
    rounding: Optional[str] = None,
    seed: Optional[int] = None,
) -> Quantized:
    """Quantizes an array to a scheme such as mxfp8, mxfp4, nvfp4 or e4m3. Blocks run along the last axis."""
    array, own = as_array(source)
    if own is None:
        raise PtxlabError("format-needed", f"quantize takes float32, float16 and bfloat16, not {array.dtype}")
    options = _named(
        granularity=granularity, scaleRule=scale_rule, packing=packing, rounding=rounding, seed=seed
    )
    server = shared()
    with server.file() as data, server.file() as codes, server.file() as scales:
        made = server.ask(
            "quantize",
            **{"from": own},
            data=data.put(array),
            to=to,
            shape=list(array.shape),
            codes={"file": codes.name},
            scales={"file": scales.name},
            **options,
        )
        held = codes.get(np.uint8)
        scale = scales.get(np.float32 if made["scale"] == "f32" else np.uint8).reshape(made["scaleShape"])
    return Quantized(made["scheme"], array.shape, made["packing"], granularity, held, scale, made["tensorScale"])


def dequantize(quantized: Quantized) -> "np.ndarray[Any, Any]":
    """The values of a quantized array as float32."""
    server = shared()
    with server.file() as codes, server.file() as scales, server.file() as into:
        server.ask(
            "dequantize",
            scheme=quantized.scheme,
            shape=list(quantized.shape),
            packing=quantized.packing,
            tensorScale=quantized.tensor_scale,
            codes=codes.put(quantized.codes),
            scales=scales.put(quantized.scales),
            into={"file": into.name},
            **_named(granularity=quantized.granularity),
        )
        return into.get(np.float32).reshape(quantized.shape)
