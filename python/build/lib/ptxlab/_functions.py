"""Checks, explanations, and the evaluation of one instruction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple, Union

import numpy as np

from ._server import shared


@dataclass(frozen=True)
class Finding:
    """A finding; lines and columns count from 1."""

    code: str
    severity: str
    line: int
    column: int
    message: str
    help: Optional[str]


@dataclass(frozen=True)
class Report:
    """The result of `check`; it is true if the module has no errors."""

    ok: bool
    version: str
    target: str
    findings: Tuple[Finding, ...]

    def __bool__(self) -> bool:
        return self.ok


def _named(**options: Any) -> Dict[str, Any]:
    """The options that are given."""
    return {name.rstrip("_"): value for name, value in options.items() if value is not None}


def check(source: str, *, target: Optional[str] = None, isa: Optional[str] = None) -> Report:
    """Checks a module as strictly as ptxas."""
    answer = shared().ask("check", source=source, **_named(target=target, isa=isa))
    keys = ("code", "severity", "line", "column", "message", "help")
    findings = tuple(Finding(**{key: found[key] for key in keys}) for found in answer["diagnostics"])
    return Report(answer["ok"], answer["version"], answer["target"], findings)


def explain(text: str, *, target: Optional[str] = None, isa: Optional[str] = None) -> str:
    """Explains an instruction, a constant or the code of a finding."""
    return str(shared().ask("explain", text=text, **_named(target=target, isa=isa))["text"])


def evaluate(
    inst: str, *inputs: Any, target: Optional[str] = None, isa: Optional[str] = None
) -> Union["np.ndarray[Any, Any]", Tuple["np.ndarray[Any, Any]", ...]]:
    """Evaluates one instruction for every element of its inputs, which are broadcast against each other.

    The bits of an element are the bits of its register: float32 for `.f32`, uint32 or int32 for `.b32`. The results
    are unsigned integers with the bits of the results; `view` turns them into floats.
    """
    arrays = np.broadcast_arrays(*(np.asarray(one) for one in inputs))
    columns = [_hex(np.ascontiguousarray(one)) for one in arrays]
    rows = [list(row) for row in zip(*columns)]
    answer = shared().ask("evaluate", inst=inst, rows=rows, **_named(target=target, isa=isa))
    shape = arrays[0].shape if arrays else ()
    out: List[Any] = answer["out"]
    if out and isinstance(out[0], list):
        return tuple(_bits([row[i] for row in out], shape) for i in range(len(out[0])))
    return _bits(out, shape)


def _hex(array: "np.ndarray[Any, Any]") -> List[str]:
    size = array.dtype.itemsize
    digits = array.astype(array.dtype.newbyteorder(">")).tobytes().hex()
    return [digits[i : i + 2 * size] for i in range(0, len(digits), 2 * size)]


def _bits(out: List[str], shape: Tuple[int, ...]) -> "np.ndarray[Any, Any]":
    width = max((len(text.removeprefix("0x")) for text in out), default=8) * 4
    size = next(size for size in (8, 16, 32, 64) if width <= size)
    return np.array([int(text, 16) for text in out], dtype=f"u{size // 8}").reshape(shape)


def triton_ptx(compiled: Any) -> str:
    """The PTX of a kernel that Triton has compiled: the result of `kernel.warmup(...)` or of a launch."""
    asm = getattr(compiled, "asm", None)
    if not isinstance(asm, dict) or "ptx" not in asm:
        raise TypeError("expected a kernel compiled by Triton for an NVIDIA GPU, which has asm['ptx']")
    text = asm["ptx"]
    return text.decode() if isinstance(text, bytes) else str(text)
