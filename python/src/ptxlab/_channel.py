"""Exchanges messages with a server process, over its stdin and stdout.

A signal handler may raise an exception between any two steps of Python code. Even then, no bytes that were read may be
lost, and no bytes may be sent twice. Each read or write is therefore recorded by the same call that performs it: while
`extend` or `writelines` consumes a `map`, no signal handlers run.
"""

from __future__ import annotations

import io
import json
import os
import select
import selectors
import time
from typing import Any, Dict, List, Optional, Sequence, Tuple

# A pipe that is ready for writing accepts this many bytes without blocking.
_PIPE_PIECE = 4096

_READ_PIECE = 1 << 16


class ServerGone(Exception):
    """The process at the other end has ended, or it sends something other than messages."""


def framed(content: bytes) -> bytes:
    """A message with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(content), content)


class Exchange:
    """Requests that are sent together. `answers` maps the id of each request to its answer."""

    def __init__(self, message: bytes, ids: Sequence[int]) -> None:
        self.message = message
        self.ids = ids
        self.answers: Dict[int, Dict[str, Any]] = {}
        self.written: List[int] = []
        self.is_canceled = False

    @property
    def unsent(self) -> memoryview:
        """The bytes that have not been written yet."""
        return memoryview(self.message)[sum(self.written) :]

    @property
    def is_sent(self) -> bool:
        return sum(self.written) == len(self.message)

    @property
    def is_done(self) -> bool:
        return self.is_sent and len(self.answers) == len(self.ids)

    def cancel(self) -> None:
        """Cancels each request that has not been answered. The server accepts only one cancellation per request."""
        if self.is_canceled:
            return
        self.is_canceled = True
        waiting = [one for one in self.ids if one not in self.answers]
        notes = [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": one}} for one in waiting]
        self.message += b"".join(framed(json.dumps(note).encode()) for note in notes)


class _Inbox:
    """Bytes that were read, beginning with the header of a message."""

    def __init__(self, start: bytes = b"") -> None:
        self.bytes = io.BytesIO()
        self.bytes.write(start)
        self.body: Optional[Tuple[int, int]] = None

    def next(self) -> Optional[Tuple[Dict[str, Any], "_Inbox"]]:
        """The first message, and an inbox with the bytes after it; None if the message is not complete."""
        if self.body is None:
            self.body = _body(self.bytes.getvalue())
        if self.body is None or self.bytes.tell() < self.body[1]:
            return None
        start, end = self.body
        content = self.bytes.getvalue()
        return json.loads(content[start:end]), _Inbox(content[end:])


def _body(content: bytes) -> Optional[Tuple[int, int]]:
    """Where the body of a message starts and ends; None if its header is not complete."""
    header, separator, _ = content.partition(b"\r\n\r\n")
    if not separator:
        return None
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            start = len(header) + len(separator)
            return start, start + int(value)
    raise ServerGone("it sent a message without a length")


class Channel:
    """Sends one exchange at a time. An interrupted exchange is completed before the next one is sent."""

    def __init__(self, write_to: int, read_from: int) -> None:
        self._write_to = write_to
        self._read_from = read_from
        self._inbox = _Inbox()
        self.current = Exchange(b"", ())

    def is_closed(self) -> bool:
        """Whether the process at the other end is known to have ended."""
        if not hasattr(select, "poll"):
            return False
        output = select.poll()
        output.register(self._read_from, select.POLLIN)
        return any(event & select.POLLHUP for _, event in output.poll(0))

    def complete(self) -> None:
        """Sends what is left of the current exchange, and waits for its answers."""
        exchange = self.current
        while not exchange.is_sent:
            self._write(exchange.unsent)
        self._take_messages()
        while not exchange.is_done:
            self._read()

    def complete_within(self, seconds: float) -> bool:
        """Continues the current exchange for at most `seconds`. Returns whether it was completed."""
        if os.name != "posix":  # On other systems, it is not possible to wait for pipes.
            return False
        self._take_messages()
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self._read_from, selectors.EVENT_READ)
            ready.register(self._write_to, selectors.EVENT_WRITE)
            while not self.current.is_done:
                if not self._progress(ready, max(0.0, deadline - time.monotonic())):
                    return False
        return True

    def _progress(self, ready: selectors.BaseSelector, seconds: float) -> bool:
        """Waits until a pipe is ready, then reads or writes without blocking. Returns False if none became ready."""
        if self.current.is_sent and self._write_to in ready.get_map():
            ready.unregister(self._write_to)
        found = [key.fd for key, _ in ready.select(seconds)]
        if self._write_to in found:
            self._write(self.current.unsent[:_PIPE_PIECE])
        if self._read_from in found:
            self._read()
        return found != []

    def _write(self, piece: memoryview) -> None:
        try:
            self.current.written.extend(map(os.write, (self._write_to,), (piece,)))
        except BrokenPipeError:
            raise ServerGone from None

    def _read(self) -> None:
        received = self._inbox.bytes
        before = received.tell()
        received.writelines(map(os.read, (self._read_from,), (_READ_PIECE,)))
        if received.tell() == before:
            raise ServerGone
        self._take_messages()

    def _take_messages(self) -> None:
        """Takes answers from the bytes that were read, including those that an interrupted call left behind.

        Each answer is stored before its bytes are dropped, so an interruption between these two steps does no harm.
        """
        while True:
            found = self._inbox.next()
            if found is None:
                return
            answer, rest = found
            if answer["id"] is None:
                raise ServerGone(answer["error"]["message"])
            if answer["id"] in self.current.ids:
                self.current.answers[answer["id"]] = answer
            self._inbox = rest
