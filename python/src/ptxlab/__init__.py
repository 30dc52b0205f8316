"""NVIDIA PTX on numpy arrays, without a GPU. Runs `ptxlab serve` in the background; needs Node 20.19 or newer."""

from ._arguments import Pointer, Sampler, Shared, Struct, Surface, TensorMap, Texture
from ._arrays import Quantized, convert, dequantize, quantize
from ._buffer import Buffer
from ._device import Device, Kernel, Module
from ._errors import Fault, PtxlabError
from ._evaluate import evaluate
from ._functions import Finding, Report, check, explain, triton_ptx
from ._server import Server, close

__all__ = [
    "Buffer",
    "Device",
    "Fault",
    "Finding",
    "Kernel",
    "Module",
    "Pointer",
    "PtxlabError",
    "Quantized",
    "Report",
    "Server",
    "Sampler",
    "Shared",
    "Struct",
    "Surface",
    "TensorMap",
    "Texture",
    "check",
    "close",
    "convert",
    "dequantize",
    "evaluate",
    "explain",
    "quantize",
    "triton_ptx",
]
