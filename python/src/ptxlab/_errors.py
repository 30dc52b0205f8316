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
        return type(self), (self.code, str(self), self.data)


class Fault(PtxlabError):
    """A kernel that ended in a fault. `data` contains the thread and the line if they are known."""
