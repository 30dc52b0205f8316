"""Memory of a device that stays there between launches."""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from typing import Any

import numpy as np

from ._formats import as_array
from ._server import Server, data_of, target_of


class Buffer:
    """Bytes in the memory of a device. They are freed by `free`, at the end of a `with` block, or with this object."""

    def __init__(self, server: Server, device: int, handle: int, size: int, address: int) -> None:
        self._server = server
        self._device = device
        self.handle = handle
        self.size = size
        self.address = address
        self._finalizer = weakref.finalize(self, server.drop, "buffer/free", device=device, buffer=handle)
        self._finalizer.atexit = False

    def write(self, source: Any) -> None:
        """Copies an array into the buffer."""
        array, _ = as_array(source)
        with ExitStack() as files:
            data = data_of(self._server, array, files)
            self._server.ask("buffer/write", device=self._device, buffer=self.handle, data=data)

    def read(self, dtype: Any = np.uint8) -> "np.ndarray[Any, Any]":
        """A copy of the bytes as an array."""
        with ExitStack() as files:
            into, bytes_of = target_of(self._server, self.size, files)
            answer = self._server.ask("buffer/read", device=self._device, buffer=self.handle, **into)
            return bytes_of(answer).view(dtype)

    def free(self) -> None:
        """Frees the memory. Further calls do nothing."""
        if self._finalizer.detach() is not None:
            self._server.release("buffer/free", device=self._device, buffer=self.handle)

    def __enter__(self) -> "Buffer":
        return self

    def __exit__(self, *_: object) -> None:
        self.free()
