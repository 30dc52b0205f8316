"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Type


class PtxlabError(Exception):
    """A request that failed. `code` is a stable identifier, such as `unknown-target`; `data` has the details."""

    def __init__(self, code: str, message: str, data: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.data: Dict[str, Any] = data or {}

    def __reduce__(self) -> Tuple[Type[PtxlabError], Tuple[str, str, Dict[str, Any]]]:
        """By default, exceptions are pickled by their `args`, which contain only the message."""
        return type(self), (self.code, self.args[0], self.data)


class Fault(PtxlabError):
    """A kernel that ended in a fault. `data` contains the thread and the line if they are known, and in `printed` what
    the kernel printed before.
    """

    def __str__(self) -> str:
        source, line = self.data.get("source"), self.data.get("line")
        places = [
            f"{source['file']}:{source['line']}" if source else None,
            f"line {line} of the PTX" if line else None,
            *(f"{name} {self.data[name]}" for name in ("kernel", "block", "thread") if name in self.data),
        ]
        known = ", ".join(place for place in places if place is not None)
        return f"{self.args[0]} ({known})" if known else str(self.args[0])
