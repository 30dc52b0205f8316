"""The server process, and requests to it."""

from __future__ import annotations

import atexit
import base64
import itertools
import json
import os
import shutil
import subprocess
import threading
import weakref
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, Callable, Dict, IO, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._channel import Channel, Exchange, ServerGone, framed
from ._errors import PtxlabError

# The number of seconds within which a request must stop after Ctrl-C.
_GRACE = 1.0

# The number of seconds within which the process must end.
_EXIT = 5.0

# The number of queued requests that are sent together. They are short, so their answers never fill the pipe while the
# requests are still being written.
_MOST_AT_ONCE = 32

# Arrays of up to this many bytes are sent in messages, and larger arrays in files.
INLINE_BYTES = 4096

Request = Tuple[str, Dict[str, Any]]
Bytes = Callable[[Dict[str, Any]], "np.ndarray[Any, Any]"]

def _node() -> str:
    """The path of Node."""
    named = os.environ.get("PTXLAB_NODE")
    if named:
        return named
    found = shutil.which("node")
    if found is None:
        raise PtxlabError("no-node", "ptxlab needs Node 20.19 or newer: add node to PATH or set PTXLAB_NODE")
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
    """Encodes a message as JSON. Converts numpy numbers, and rejects infinities and NaNs, which JSON lacks."""
    try:
        return json.dumps(content, allow_nan=False, default=_plain).encode()
    except ValueError:
        raise PtxlabError("bad-params", "numbers must be finite") from None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a number, a string or a list")


class Server:
    """A server process. It ends when this process ends or when it is closed."""

    def __init__(self) -> None:
        try:
            # The server runs in a session of its own, so that Ctrl-C in the terminal does not reach it.
            self._process = subprocess.Popen(
                [_node(), str(_script()), "serve"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            raise PtxlabError("no-node", f"cannot start Node: {error}") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._pipes: Tuple[IO[bytes], IO[bytes]] = (self._process.stdin, self._process.stdout)
        self._channel = Channel(*(pipe.fileno() for pipe in self._pipes))
        self._lock = threading.RLock()
        self._is_busy = False
        self._ended: Optional[Tuple[str, str]] = None
        self._ids = itertools.count(1)
        self._files = itertools.count(1)
        self._dropped: List[Request] = []
        self._abandoned: List[Path] = []
        self._message_limit: Optional[int] = None
        self.folder = Path()
        _servers.add(self)
        try:
            facts = self.ask("version")
        except BaseException:
            self.end("it did not start")
            raise
        self.folder = Path(facts["folder"])
        self._message_limit = facts["limits"]["message"]

    @property
    def has_ended(self) -> bool:
        """Whether the server has ended, or belongs to the process from which this one was forked."""
        if self._ended is None and self._channel.is_closed():
            self.end()
        return self._ended is not None

    def require(self) -> None:
        """Raises PtxlabError `server-ended` if the server has ended."""
        if self.has_ended:
            raise self._why()

    def _why(self) -> PtxlabError:
        """Returns a new exception each time, because exceptions collect tracebacks."""
        code, message = self._ended or ("server-ended", "the ptxlab server has ended")
        return PtxlabError(code, message)

    def ask(self, method: str, **params: Any) -> Dict[str, Any]:
        """Returns the answer to a request. Raises PtxlabError if the request failed."""
        with self._lock:
            if self._is_busy:
                raise PtxlabError("busy", "a signal handler cannot use ptxlab while it interrupts a call to ptxlab")
            self.require()
            try:
                self._is_busy = True
                self._complete()
                answer = self._exchange((method, params))
            except KeyboardInterrupt:
                self._stop()
                raise
            except ServerGone as error:
                self.end(str(error))
                raise self._why() from None
            except BaseException:
                self._cancel()
                raise
            finally:
                self._is_busy = False
        return _result(answer)

    def drop(self, method: str, **params: Any) -> None:
        """Queues a request until the next one is sent. Finalizers use this, because they may run during a request."""
        if self._ended is None:
            self._dropped.append((method, params))

    def release(self, method: str, **params: Any) -> None:
        """Frees something on the server. Does nothing if the server has ended, because everything is gone then.

        Does not wait for an interrupted request that is still running, but frees the object with the next request.
        """
        if self.has_ended or not self._channel.current.is_done:
            self.drop(method, **params)
            return
        try:
            self.ask(method, **params)
        except PtxlabError:
            if not self.has_ended:
                raise

    def _complete(self) -> None:
        """Completes an interrupted exchange, so that its answers are not mixed up with those of new requests."""
        self._channel.complete()
        while self._abandoned:
            self._abandoned.pop().unlink(missing_ok=True)

    def _exchange(self, request: Request) -> Dict[str, Any]:
        """Sends a request together with the queued ones, whose answers are not needed."""
        dropped: List[Request] = []
        while self._dropped:
            dropped.append(self._dropped.pop())
            if len(dropped) == _MOST_AT_ONCE:
                self._send(dropped)
                dropped = []
        return self._send([*dropped, request])[-1]

    def _send(self, requests: Sequence[Request]) -> List[Dict[str, Any]]:
        ids = [next(self._ids) for _ in requests]
        contents = [
            {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
            for id, (method, params) in zip(ids, requests)
        ]
        message = b"".join(framed(self._small_enough(_message(content))) for content in contents)
        exchange = Exchange(message, ids)
        self._channel.current = exchange
        self._channel.complete()
        return [exchange.answers[id] for id in ids]

    def _small_enough(self, content: bytes) -> bytes:
        """Rejects messages over the server's limit. After such a message, the server could not find the next one."""
        limit = self._message_limit
        if limit is not None and len(framed(content)) > limit:
            raise PtxlabError("limit-exceeded", f"the request has {len(content)} bytes; the limit is {limit}")
        return content

    def _cancel(self, seconds: float = 0.0) -> bool:
        """Cancels the current requests, and waits for `seconds`. Returns whether the server answered within this time.
        """
        exchange = self._channel.current
        if self._ended is not None or exchange.is_done:
            return True
        exchange.cancel()
        try:
            return self._channel.complete_within(seconds)
        except ServerGone as error:
            self.end(str(error))
            return True

    def _stop(self) -> None:
        """Cancels the current requests. Ends the server if they do not stop, or if Ctrl-C is pressed again."""
        is_stopped = False
        try:
            is_stopped = self._cancel(_GRACE)
        finally:
            if not is_stopped:
                self.end("a request was interrupted and could not be canceled")

    def file(self) -> "SharedFile":
        """A new file for data."""
        self.require()
        return SharedFile(self, self.folder / f"py{next(self._files)}")

    def remove(self, path: Path) -> None:
        """Removes a file, but not while the server may be using it for a request that was interrupted."""
        if self._channel.current.is_done:
            path.unlink(missing_ok=True)
        else:
            self._abandoned.append(path)

    def close(self) -> None:
        """Ends the server. Its devices and buffers are lost."""
        with self._lock:
            if self.has_ended:
                return
            try:
                if self._channel.current.is_done:
                    self._pipes[0].close()
                    self._exit_code()
            finally:
                self.end("it was closed")

    def _exit_code(self) -> Optional[int]:
        """The exit code of the process, once it has ended; None if it does not end.

        A signal handler that interrupts `Popen` can leave its lock held, so every wait must have a time limit.
        """
        try:
            return self._process.wait(_EXIT)
        except subprocess.TimeoutExpired:
            return None

    def end(self, why: str = "") -> None:
        """Kills the server. Calls that still use it report the reason or, if there is none, the exit code."""
        if self._ended is not None:
            return
        self._ended = _ended(why or "it crashed")
        if why == "":
            self._ended = _ended(f"its exit code was {self._exit_code()}")
        self._process.kill()
        self._exit_code()
        # Another thread may be waiting for an answer. Its pipes stay open, because a new file could get the descriptor
        # of a closed pipe.
        if self._lock.acquire(blocking=False):
            self._release()
            self._lock.release()
        if self.folder != Path():
            shutil.rmtree(self.folder, ignore_errors=True)

    def _release(self) -> None:
        self._dropped.clear()
        for pipe in self._pipes:
            pipe.close()

    def leave_to_parent(self) -> None:
        """Called after a fork, in the child process, which must not use the pipes of its parent."""
        if self._ended is None:
            message = "this object belongs to the process from which this one was forked; make a new one here"
            self._ended = ("other-process", message)
        self._lock = threading.RLock()
        self._process.returncode = 0  # The server is not a child of this process, so do not wait for it.
        self._release()


def _ended(why: str) -> Tuple[str, str]:
    """The code and the message of the error."""
    return "server-ended", f"the ptxlab server has ended ({why}); its devices, modules and buffers are gone"


def _result(answer: Dict[str, Any]) -> Dict[str, Any]:
    """The result of a request. Raises PtxlabError if it failed."""
    error = answer.get("error")
    if error is not None:
        data = error.get("data") or {}
        raise PtxlabError(data.get("code", str(error["code"])), error["message"], data)
    result: Dict[str, Any] = answer["result"]
    return result


class SharedFile:
    """A file in the server's folder, removed at the end of a `with` block."""

    def __init__(self, server: Server, path: Path) -> None:
        self._server = server
        self._path = path
        self.name = path.name

    def __enter__(self) -> "SharedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._server.remove(self._path)

    def put(self, array: "np.ndarray[Any, Any]") -> Dict[str, Any]:
        """Writes the bytes of an array, and returns a reference to them for requests."""
        try:
            # numpy calls a path's __fspath__ and turns an interruption there into a TypeError.
            array.reshape(-1).view(np.uint8).tofile(str(self._path))
        except OSError:
            self._server.require()
            raise
        return {"file": self.name}

    def get(self, dtype: Union["np.dtype[Any]", type]) -> "np.ndarray[Any, Any]":
        """The bytes as an array."""
        return self._read(np.fromfile).view(dtype)

    def view(self) -> "np.ndarray[Any, Any]":
        """The bytes without a copy of them, for a short time: the file keeps its space until the array is gone."""
        if os.name != "posix":  # Files that are mapped cannot be removed.
            return self.get(np.uint8)
        return self._read(partial(np.memmap, mode="r")).view(np.ndarray)

    def _read(self, read: Callable[..., "np.ndarray[Any, Any]"]) -> "np.ndarray[Any, Any]":
        try:
            return read(str(self._path), dtype=np.uint8)
        except OSError:
            self._server.require()
            raise


def data_of(server: Server, array: "np.ndarray[Any, Any]", files: ExitStack) -> Dict[str, Any]:
    """The bytes of an array as data for a request: in the message or, for a large array, in a file."""
    if array.nbytes <= INLINE_BYTES:
        return {"base64": base64.b64encode(array.tobytes()).decode()}
    return files.enter_context(server.file()).put(array)


def target_of(server: Server, size: int, files: ExitStack, *, briefly: bool = False) -> Tuple[Dict[str, Any], Bytes]:
    """The parameters that tell a request where to put `size` bytes, and a function that gets the bytes from the answer.
    The bytes are not copied if they are needed `briefly`: they are read-only and must be dropped soon.
    """
    if size <= INLINE_BYTES:
        return {}, lambda answer: np.frombuffer(bytearray(base64.b64decode(answer["base64"])), np.uint8)
    file = files.enter_context(server.file())
    return {"into": {"file": file.name}}, lambda _: file.view() if briefly else file.get(np.uint8)


_servers: "weakref.WeakSet[Server]" = weakref.WeakSet()
_shared: Optional[Server] = None
_sharing = threading.RLock()


def shared() -> Server:
    """The server of this process. It is started when it is first used, and again if it has ended."""
    global _shared
    with _sharing:
        if _shared is None or _shared.has_ended:
            _shared = Server()
        return _shared


def close() -> None:
    """Ends the server of this process; the next use starts another."""
    global _shared
    with _sharing:
        if _shared is not None:
            _shared.close()
            _shared = None


@atexit.register
def _end_all() -> None:
    """Ends all servers without waiting for requests that are still running."""
    for server in list(_servers):
        server.end("Python is ending")


def _after_fork() -> None:
    global _shared, _sharing
    _shared, _sharing = None, threading.RLock()
    for server in list(_servers):
        server.leave_to_parent()
    _servers.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
