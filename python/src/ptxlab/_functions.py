"""Checks and explanations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from ._server import shared


@dataclass(frozen=True)
class Finding:
    """A finding; lines and columns are counted from 1."""

    code: str
    severity: str
    line: int
    column: int
    message: str
    help: Optional[str]


@dataclass(frozen=True)
class Report:
    """The result of `check`, which is true if the module has no errors."""

    ok: bool
    version: str
    target: str
    findings: Tuple[Finding, ...]

    def __bool__(self) -> bool:
        return self.ok


def _named(**options: Any) -> Dict[str, Any]:
    """The options that are not None."""
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


def triton_ptx(compiled: Any) -> str:
    """The PTX of a kernel compiled by Triton. `compiled` is the result of `kernel.warmup(...)` or of a launch."""
    asm = getattr(compiled, "asm", None)
    if not isinstance(asm, dict) or "ptx" not in asm:
        raise TypeError("expected a kernel compiled by Triton for an NVIDIA GPU, which has asm['ptx']")
    text = asm["ptx"]
    return text.decode() if isinstance(text, bytes) else str(text)
