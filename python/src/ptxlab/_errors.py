"""The exceptions of the package."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple, Type


class PtxlabError(Exception):
    """A request that failed. `code` is stable, such as `unknown-target` or `PTX2010`; `data` has the details."""

    def __init__(self, code: str, message: str, data: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.data: Dict[str, Any] = data or {}

    def __reduce__(self) -> Tuple[Type[PtxlabError], Tuple[str, str, Dict[str, Any]]]:
        """Exceptions are pickled by their `args`, which have only the message."""
        return type(self), (self.code, str(self), self.data)


class Fault(PtxlabError):
    """A kernel that ended in a fault; `data` says which thread and line, as far as known."""
