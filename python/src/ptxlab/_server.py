"""The server process, and requests to it."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, Dict, IO, List, Optional, Tuple, Union

import numpy as np


class PtxlabError(Exception):
    """A request that failed. `code` is stable, such as `unknown-target` or `PTX2010`; `data` has the details."""

    def __init__(self, code: str, message: str, data: Optional[Dict[str, Any]] = None) -> None:
        super().__init__(message)
        self.code = code
        self.data: Dict[str, Any] = data or {}


def _node() -> str:
    """The path of Node."""
    named = os.environ.get("PTXLAB_NODE")
    if named:
        return named
    found = shutil.which("node")
    if found is None:
        raise PtxlabError("no-node", "ptxlab needs Node 20.19 or newer: put node on the PATH, or its path in PTXLAB_NODE")
    return found


def _script() -> Path:
    """The bundled server: in the wheel, or in a checkout that was built."""
    here = Path(__file__).resolve()
    for folder in (here.parent / "_server" / "dist" / "bin", here.parents[3] / "dist" / "bin"):
        script = folder / "ptxlab.js"
        if script.exists():
            return script
    raise PtxlabError("no-server", "the server is missing: run `npm run build` in the checkout")


def _message(content: Dict[str, Any]) -> bytes:
    """JSON has no numbers that are not finite, and numpy has numbers of its own."""
    try:
        return json.dumps(content, allow_nan=False, default=_plain).encode()
    except ValueError:
        raise PtxlabError("bad-params", "numbers must be finite") from None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a number, a text or a list")


class Server:
    """A server process. It ends with this one, or when it is closed."""

    def __init__(self) -> None:
        try:
            self._process = subprocess.Popen(
                [_node(), str(_script()), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise PtxlabError("no-node", f"cannot start Node: {error}") from None
        self._lock = threading.RLock()
        self._ids = itertools.count(1)
        self._files = itertools.count(1)
        self._dropped: List[Tuple[str, Dict[str, Any]]] = []
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input: IO[bytes] = self._process.stdin
        self._output: IO[bytes] = os.fdopen(os.dup(self._process.stdout.fileno()), "rb", 1 << 16)
        self.folder = Path(self.ask("version")["folder"])

    def ask(self, method: str, **params: Any) -> Dict[str, Any]:
        """The answer to one request. Raises PtxlabError."""
        with self._lock:
            while self._dropped:
                dropped, of = self._dropped.pop()
                self._ask(dropped, of)
            answer = self._ask(method, params)
        error = answer.get("error")
        if error is not None:
            data = error.get("data") or {}
            raise PtxlabError(data.get("code", str(error["code"])), error["message"], data)
        result: Dict[str, Any] = answer["result"]
        return result

    def drop(self, method: str, **params: Any) -> None:
        """Asks before the next request. A finalizer may run during a request, so it must not ask itself."""
        self._dropped.append((method, params))

    def _ask(self, method: str, params: Dict[str, Any]) -> Dict[str, Any]:
        body = _message({"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params})
        try:
            message = memoryview(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            while message:
                message = message[self._input.write(message) :]
            length = 0
            while True:
                line = self._output.readline()
                if not line:
                    raise PtxlabError("server-ended", "the ptxlab server has ended")
                if line == b"\r\n":
                    break
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            answer: Dict[str, Any] = json.loads(self._output.read(length))
            return answer
        except (OSError, ValueError) as error:
            raise PtxlabError("server-ended", f"the ptxlab server has ended: {error}") from None

    def file(self) -> "SharedFile":
        """A new file for data."""
        return SharedFile(self.folder / f"py{next(self._files)}")

    def close(self) -> None:
        """Ends the process. Its devices and buffers are gone."""
        with self._lock:
            self._input.close()
            self._process.wait()
            self._output.close()
            if self._process.stdout is not None:
                self._process.stdout.close()


class SharedFile:
    """A file in the server's folder, removed at the end of a `with` block."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.name = path.name

    def __enter__(self) -> "SharedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._path.unlink(missing_ok=True)

    def put(self, array: "np.ndarray[Any, Any]") -> Dict[str, Any]:
        """Writes the bytes of an array; returns the reference to them that requests use."""
        array.reshape(-1).view(np.uint8).tofile(self._path)
        return {"file": self.name}

    def get(self, dtype: Union["np.dtype[Any]", type]) -> "np.ndarray[Any, Any]":
        """The bytes as an array."""
        return np.fromfile(self._path, dtype=np.uint8).view(dtype)


_shared: Optional[Server] = None
_sharing = threading.Lock()


def shared() -> Server:
    """The server of this process, started by its first use."""
    global _shared
    with _sharing:
        if _shared is None:
            _shared = Server()
            atexit.register(close)
        return _shared


def close() -> None:
    """Ends the server of this process; the next use starts another."""
    global _shared
    with _sharing:
        if _shared is not None:
            _shared.close()
            _shared = None
