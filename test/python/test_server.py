"""The server process of the Python package: interruptions, crashes, forks and limits."""

import contextlib
import multiprocessing
import os
import pickle
import random
import signal
import threading
import time

import numpy as np
import pytest

import ptxlab
from ptxlab import _server
from ptxlab._server import shared

pytest_plugins = ["ptxlab.pytest_plugin"]

SPIN = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry spin(.param .u64 out, .param .u32 n)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd;
  .reg .pred %p;
  ld.param.u64 %rd, [out];
  ld.param.u32 %r0, [n];
  mov.u32 %r1, 0;
  mov.u32 %r2, 1;
next:
  mad.lo.u32 %r2, %r2, 1664525, 1013904223;
  add.u32 %r1, %r1, 1;
  setp.lt.u32 %p, %r1, %r0;
  @%p bra next;
  st.global.u32 [%rd], %r2;
  ret;
}
"""

ENDLESS = SPIN.replace("@%p bra", "bra")

needs_signals = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


class Late(Exception):
    pass


@contextlib.contextmanager
def alarm(seconds, error=Late):
    """Raises an exception in the block after this time."""

    def ring(*_):
        raise error

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def halves(*values):
    """Calls whose answers are known."""
    return [ptxlab.convert(np.float32([value]), "f16").tolist() for value in values]


@needs_signals
@pytest.mark.parametrize("error", [Late, TimeoutError, ValueError])
def test_calls_after_an_exception_have_their_own_answers(ptx_device, error):
    kernel = ptx_device.module(SPIN).kernel()
    out = np.zeros(1, dtype=np.uint32)
    with pytest.raises(error), alarm(0.2, error):
        kernel[1, 1](out, 200_000_000)
    assert halves(1, 2, 3) == [[1], [2], [3]]
    kernel[1, 1](out, 1)
    assert out[0] == 1015568748


@needs_signals
def test_an_exception_cancels_a_launch_that_can_be_canceled(ptx_device):
    kernel = ptx_device.module(SPIN).kernel()
    with ptx_device.buffer(4) as out:
        start = time.monotonic()
        with pytest.raises(Late), alarm(0.3):
            kernel[10_000, 1](out, 20_000_000)
        assert halves(1) == [[1]]
        assert time.monotonic() - start < 20
        assert out.size == len(out.read())


@needs_signals
def test_an_exception_while_a_large_request_is_sent():
    source = SPIN + "//" + "x" * (30 << 20)
    for seconds in (0.02, 0.05, 0.1, 0.2):
        with contextlib.suppress(Late), alarm(seconds):
            assert ptxlab.check(source)
        assert halves(1, 2) == [[1], [2]]


def use_everything(device, kernel, value):
    small, large = np.full(3, value, np.float32), np.full(5000, value, np.float32)
    for array in (small, large):
        assert (ptxlab.convert(array, "f16") == value).all()
    out = np.zeros(1, dtype=np.uint32)
    kernel[1, 1](out, 1)
    assert out[0] == 1015568748
    assert (ptxlab.evaluate("add.u32", np.full(3000, value, np.uint32), np.uint32(1)) == value + 1).all()
    assert (device.buffer(small).read(np.float32) == value).all()


@needs_signals
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("error", [Late, KeyboardInterrupt])
def test_exceptions_at_any_moment(ptx_device, monkeypatch, error):
    monkeypatch.setattr(_server, "_GRACE", 20.0)
    kernel = ptx_device.module(SPIN).kernel()
    server = shared()
    randoms = random.Random(1)
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        try:
            with alarm(randoms.uniform(0.0001, 0.02), error):
                use_everything(ptx_device, kernel, randoms.randrange(1000))
        except AssertionError:
            raise
        except (Exception, KeyboardInterrupt):
            pass  # C code may turn the exception into another one.
    use_everything(ptx_device, kernel, 1)
    assert shared() is server


@needs_signals
def test_a_signal_handler_cannot_use_ptxlab_during_a_call(ptx_device):
    def convert(*_):
        halves(1)

    kernel = ptx_device.module(SPIN).kernel()
    before = signal.signal(signal.SIGALRM, convert)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(ptxlab.PtxlabError) as caught:
            kernel[1, 1](np.zeros(1, dtype=np.uint32), 200_000_000)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert caught.value.code == "busy"
    assert halves(1, 2) == [[1], [2]]


@needs_signals
def test_ctrl_c_ends_a_launch():
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught, ptxlab.Device(gpu="sm_90") as device:
        kernel = device.module(ENDLESS).kernel()
        held = device.buffer(4)
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        kernel[1, 1](np.zeros(1, dtype=np.uint32), 1, timeout=20)
    assert caught.value.__context__ is None
    assert time.monotonic() - start < 15
    assert halves(1, 2) == [[1], [2]]
    for use in (held.read, lambda: kernel[1, 1](held, 1), lambda: device.module(SPIN)):
        with pytest.raises(ptxlab.PtxlabError, match="has ended .a request was interrupted") as caught:
            use()
        assert caught.value.code == "server-ended"
    held.free()


def test_another_server_starts_after_a_crash():
    device = ptxlab.Device(gpu="sm_90")
    kernel = device.module(SPIN).kernel()
    # `shared()` starts another server as soon as it notices that this one has ended.
    process = shared()._process
    process.kill()
    process.wait()
    assert halves(1, 2) == [[1], [2]]
    with ptxlab.Device() as other:
        assert other.buffer(4).size == 4
    with pytest.raises(ptxlab.PtxlabError, match="its exit code was -9") as caught:
        kernel[1, 1](np.zeros(1, dtype=np.uint32), 1)
    assert caught.value.code == "server-ended"
    device.close()


def test_objects_of_a_closed_server_say_so():
    device = ptxlab.Device(gpu="sm_90")
    ptxlab.close()
    with pytest.raises(ptxlab.PtxlabError, match="it was closed") as caught:
        device.buffer(np.zeros(4))
    assert caught.value.code == "server-ended"


def test_a_text_beyond_the_limit_of_messages_is_refused():
    with pytest.raises(ptxlab.PtxlabError, match="the limit is 67108864") as caught:
        ptxlab.check(SPIN + "//" + "x" * (65 << 20))
    assert caught.value.code == "limit-exceeded"
    assert halves(1, 2) == [[1], [2]]


def test_more_elements_than_fit_into_a_message(monkeypatch):
    monkeypatch.setattr(shared(), "_message_limit", 200_000)
    values = np.arange(50_000, dtype=np.uint32)
    assert (ptxlab.evaluate("not.b32", values) == ~values).all()


def in_fork(work, *args):
    """What a function returns in a forked process."""
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    child = context.Process(target=lambda: answers.put(work(*args)))
    child.start()
    child.join(20)
    if child.is_alive():
        child.kill()
        pytest.fail("the forked process does not end")
    return answers.get()


@needs_fork
def test_a_forked_process_has_a_server_of_its_own(ptx_device):
    def code_of_use():
        with pytest.raises(ptxlab.PtxlabError, match="from which this one was forked") as caught:
            ptx_device.buffer(4)
        ptx_device.close()
        return caught.value.code

    assert halves(1) == [[1]]
    assert in_fork(halves, 1, 2, 3) == [[1], [2], [3]]
    assert in_fork(code_of_use) == "other-process"
    assert ptx_device.buffer(4).size == 4
    assert halves(4) == [[4]]


@needs_fork
def test_the_server_ends_with_its_process_although_a_forked_process_goes_on():
    halves(1)
    pipe, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(end)
        os.read(pipe, 1)
        os._exit(0)
    start = time.monotonic()
    closing = threading.Thread(target=ptxlab.close, daemon=True)
    closing.start()
    closing.join(10)
    os.close(end)
    os.waitpid(child, 0)
    closing.join()
    assert time.monotonic() - start < 8


@pytest.mark.parametrize("kind", [ptxlab.PtxlabError, ptxlab.Fault])
def test_exceptions_can_be_pickled(kind):
    original = kind("PTX6001", "out of bounds", {"thread": [1, 0, 0]})
    copy = pickle.loads(pickle.dumps(original))
    assert str(copy) == str(original)
    assert (type(copy), copy.code, copy.args, copy.data) == (
        kind, "PTX6001", ("out of bounds",), {"thread": [1, 0, 0]}
    )
